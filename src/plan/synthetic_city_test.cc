#include "plan/synthetic_city.h"

#include <gtest/gtest.h>

#include "eval/range_counter.h"

namespace stopover {
namespace {

const MapSize kMap{200, 100, 40, 20};

TEST(SyntheticCity, QuestionsHaveTheirTrueAnswers) {
  const std::vector<double> sides = {2, 8};
  for (const std::size_t stops : {1u, 2u, 3u}) {
    const SyntheticCity city(stops, 5000, kMap, sides, 4);
    EXPECT_EQ(city.matrix().total(), 5000u);
    const RangeCounter truth(city.matrix());
    ASSERT_EQ(city.questions().size(), 2u);
    for (const KnownCounts& known : city.questions()) {
      ASSERT_EQ(known.one_stop.size(), SyntheticCity::kQuestions);
      for (std::size_t i = 0; i < known.one_stop.size(); ++i) {
        EXPECT_EQ(known.one_stop[i].truth, truth.count(known.one_stop[i].box));
        EXPECT_EQ(known.all_stops[i].truth, truth.count(known.all_stops[i].box));
        EXPECT_GE(known.all_stops[i].truth, 1u);
        EXPECT_GE(known.one_stop[i].truth, known.all_stops[i].truth);
      }
    }
  }
}

TEST(SyntheticCity, SquaresHaveTheSideAskedFor) {
  const std::vector<double> sides = {8};
  const SyntheticCity city(2, 1000, kMap, sides, 4);
  for (const KnownCount& question : city.questions()[0].all_stops) {
    for (std::size_t axis = 0; axis < 4; ++axis) {
      EXPECT_EQ(question.box[axis].width(), 40u);  // 8 of 40 km, and of 20
      EXPECT_LE(question.box[axis].hi, axis % 2 == 0 ? 200u : 100u);
    }
  }
}

TEST(SyntheticCity, NamesItsStops) {
  const Domain domain = *planned_domain(4, kMap);
  EXPECT_EQ(domain.stops()[0].name, "origin");
  EXPECT_EQ(domain.stops()[2].name, "via2");
  EXPECT_EQ(domain.stops()[3].name, "destination");
  EXPECT_EQ(domain.shape_text(), "200x100x200x100x200x100x200x100");
}

}  // namespace
}  // namespace stopover
