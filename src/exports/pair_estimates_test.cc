#include "exports/pair_estimates.h"

#include <gtest/gtest.h>

#include "mechanism/mechanism.h"
#include "privacy/stream_dice.h"
#include "query/answerer.h"
#include "release/sample_release.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

Release publish(const char* name, const Trips& trips) {
  const Mechanism& mechanism = *find_mechanism(name);
  const Matrix matrix = trips.matrix();
  StreamDice dice(test_key("pairs"));
  Kernel kernel(matrix, dice, kTicksPerEpsilon, 1);
  return run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
}

// Few trips for so many pairs: most leaves of `zones` and of a tree are large.
Trips sparse_trips() {
  Trips trips{{90, 60}, {}};
  for (std::uint32_t i = 0; i < 3000; ++i) trips.cells.push_back({i * i % 90, i * 7 % (i % 3 == 0 ? 60 : 9)});
  return trips;
}

TEST(PairEstimates, AreTheAnswers) {
  for (const Release& release :
       {publish("zones", sparse_trips()), publish("privtree", sparse_trips()), sample::maps(), sample::stations()}) {
    const std::unique_ptr<PairEstimates> pairs = PairEstimates::make(release);
    ASSERT_NE(pairs, nullptr) << release.mechanism;
    const BoxIndex index = *BoxIndex::make(release);
    Answerer ask(index, {.intervals = false});
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const std::uint32_t cells = release.domain.axis(axis).cells, others = release.domain.axis(1 - axis).cells;
      const Interval places{cells / 3, cells};
      const std::vector<double> rows = pairs->rows(axis, places);
      ASSERT_EQ(rows.size(), std::size_t{places.width()} * others);
      for (std::uint32_t a = places.lo; a < places.hi; ++a) {
        for (std::uint32_t b = 0; b < others; ++b) {
          Box box = release.domain.whole();
          box[axis] = {a, a + 1};
          box[1 - axis] = {b, b + 1};
          const double asked = ask(BoxQuery::of(box)).estimate;
          ASSERT_NEAR(rows[(a - places.lo) * others + b], asked, 1e-9 * (1 + asked)) << release.mechanism;
        }
      }
    }
  }
}

TEST(PairEstimates, AreForTwoAxesWhoseLeavesWereCounted) {
  EXPECT_EQ(PairEstimates::make(sample::city()), nullptr);
  Release unmeasured = sample::stations();
  unmeasured.tables[0].row_ticks[4] = 0;
  EXPECT_EQ(PairEstimates::make(unmeasured), nullptr);
  Release no_map = sample::maps();
  no_map.tables.pop_back();
  EXPECT_EQ(PairEstimates::make(no_map), nullptr);
}

}  // namespace
}  // namespace stopover
