#include "eval/planted_flows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "eval/coverage_questions.h"
#include "eval/limits.h"
#include "eval/range_counter.h"

namespace stopover {
namespace {

Matrix few_trips() {
  MatrixBuilder builder(*Domain::of_shape({1000, 1000, 1000, 1000}));
  for (std::uint32_t i = 0; i < 50; ++i) builder.add(std::vector<std::uint32_t>{i, 2 * i, 500, 3 * i}, 2);
  return std::move(builder).build();
}

TEST(PlantedFlows, TripsAreAddedWhereTheBoxesAre) {
  const Matrix matrix = few_trips();
  const PlantedFlows planted = plant_flows(matrix, 0.5, std::nullopt, 3);
  ASSERT_EQ(planted.boxes.size(), kPlantedFlows);
  const RangeCounter before(matrix), after(planted.matrix);
  const double limit = needle_limit(matrix.domain(), 0.5);
  std::uint64_t added = 0;
  for (std::size_t i = 0; i < planted.boxes.size(); ++i) {
    const double size = std::ceil((i / 2 % 3 == 0 ? 4 : i / 2 % 3 == 1 ? 8 : 16) * limit);
    EXPECT_EQ(after.count(planted.boxes[i]) - before.count(planted.boxes[i]), static_cast<std::uint64_t>(size)) << i;
    added += static_cast<std::uint64_t>(size);
  }
  EXPECT_EQ(planted.matrix.total(), matrix.total() + added);
  const PlantedFlows other = plant_flows(matrix, 0.5, 2, 4);
  EXPECT_EQ(other.matrix.total(), matrix.total() + kPlantedFlows * static_cast<std::uint64_t>(std::ceil(2 * limit)));
  EXPECT_NE(other.boxes[0], planted.boxes[0]);
}

TEST(PlantedFlows, AreAskedAboutByTheirKind) {
  const PlantedFlows planted = plant_flows(few_trips(), 0.5, 8, 3);
  const Result<Regrid> grid = Regrid::make(planted.matrix, std::nullopt);
  Result<CoverageQuestions> questions = CoverageQuestions::make(*grid, nullptr);
  std::string why;
  EXPECT_TRUE(questions->draw(*parse_question_kind("planted"), 10, 1, why).empty());
  EXPECT_EQ(why, "no flow was planted");
  questions->plant(planted.boxes);
  const std::vector<CoverageQuestion> asked = questions->draw(*parse_question_kind("planted:8"), 10, 1, why);
  ASSERT_EQ(asked.size(), kPlantedFlows);
  const double size = std::ceil(8 * needle_limit(planted.matrix.domain(), 0.5));
  for (const CoverageQuestion& question : asked) {
    EXPECT_GE(question.truth, size);
    EXPECT_TRUE(question.on_data);
  }
}

}  // namespace
}  // namespace stopover
