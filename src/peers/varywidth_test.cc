#include "peers/varywidth.h"

#include <gtest/gtest.h>

#include "peers/lab_run.h"
#include "privacy/stream_dice.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

Box box_of(std::vector<Interval> sides) { return Box(sides); }

LabResult publish_varywidth(const Trips& trips, std::vector<std::pair<std::string, std::string>> given) {
  const Mechanism& mechanism = *find_mechanism("varywidth");
  StreamDice dice(test_key("varywidth"));
  const Matrix matrix = trips.matrix();
  Kernel kernel(matrix, dice, 200 * kTicksPerEpsilon, 1);  // hardly any noise
  return run_in_lab(mechanism, *read_params(mechanism, given), kernel, Unit::trip);
}

// By hand: 4 x 4 coarse boxes of 5 x 5 cells, grid 0 with 20 x 4 boxes, grid 1 with 4 x 20.
TEST(Varywidth, GridsAreFineAlongTheirOwnAxis) {
  Trips trips{{20, 20}, {{0, 0}}};
  const LabResult made = publish_varywidth(trips, {{"coarse", "4"}, {"fine", "5"}});
  EXPECT_TRUE(check_lab_result(made));
  ASSERT_EQ(made.grids.size(), 2u);
  for (const Table& grid : made.grids) EXPECT_EQ(grid.rows(), 1u + 80);
  EXPECT_EQ(made.grids[0].box(1), box_of({{0, 1}, {0, 5}}));
  EXPECT_EQ(made.grids[1].box(1), box_of({{0, 5}, {0, 1}}));
  EXPECT_EQ(made.release.spent, 200 * kTicksPerEpsilon);
}

}  // namespace
}  // namespace stopover
