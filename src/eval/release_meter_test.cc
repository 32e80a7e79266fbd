#include "eval/release_meter.h"

#include <gtest/gtest.h>

#include "peers/lab_run.h"
#include "privacy/stream_dice.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

Box box(std::vector<Interval> sides) { return Box(sides); }

LabResult publish(const Trips& trips, std::vector<std::pair<std::string, std::string>> given) {
  const Mechanism& mechanism = *find_mechanism("varywidth");
  StreamDice dice(test_key("varywidth"));
  const Matrix matrix = trips.matrix();
  Kernel kernel(matrix, dice, 200 * kTicksPerEpsilon, 1);  // hardly any noise
  return run_in_lab(mechanism, *read_params(mechanism, given), kernel, Unit::trip);
}

// Trips only on the line x = 7: a box that ends at x = 8 cuts the second coarse column, and grid 0 knows that nothing
// lies beyond. A grid of coarse boxes would say 3/5.
TEST(Varywidth, BordersAreAskedOfTheGridThatIsFineThere) {
  Trips trips{{20, 20}, {}};
  for (std::uint32_t y = 0; y < 20; ++y) {
    for (int times = 0; times < 50; ++times) trips.cells.push_back({7, y});
  }
  const LabResult made = publish(trips, {{"coarse", "4"}, {"fine", "5"}});
  const auto answerer = CoverAnswerer::make(made, {});
  ASSERT_TRUE(answerer) << answerer.error().message;
  const auto ask = [&](Box box) { return (*answerer)(BoxQuery::of(box)).estimate; };
  EXPECT_NEAR(ask(box({{0, 8}, {0, 20}})), 1000, 5);
  EXPECT_NEAR(ask(box({{0, 7}, {0, 20}})), 0, 5);
  EXPECT_NEAR(ask(box({{0, 20}, {0, 20}})), 1000, 5);
  EXPECT_NEAR(ask(box({{5, 10}, {2, 11}})), 450, 5);  // inside along x; along y the border rows come from grid 1
  EXPECT_NEAR(ask(box({{6, 9}, {3, 4}})), 50, 5);  // no coarse box inside along either axis: grid 0, rows of 5 evenly
}

// The meter asks a cover in the same way, and plainly.
TEST(ReleaseMeter, MeasuresACover) {
  Trips trips{{20, 20}, {}};
  for (std::uint32_t i = 0; i < 2000; ++i) trips.cells.push_back({i % 20, i / 20 % 20});
  const Matrix matrix = trips.matrix();
  const RangeCounter truth(matrix);
  const Workload workload = draw_workload(*parse_workload("random"), matrix, truth, 100, 1);
  const auto meter = ReleaseMeter::make(publish(trips, {}), truth);
  ASSERT_TRUE(meter) << meter.error().message;
  const Measured m = meter->measure(workload);
  EXPECT_LT(m.consistent.median_re, 5);
  EXPECT_LT(m.plain.median_re, 5);
  EXPECT_GT(meter->partitions(), 20u);
}

}  // namespace
}  // namespace stopover
