#include "eval/regrid.h"

#include <gtest/gtest.h>

#include <map>

#include "synthetic/number_sequence.h"

namespace stopover {
namespace {

Matrix spread(const Domain& domain, std::size_t trips, std::uint64_t seed) {
  NumberSequence numbers(seed);
  MatrixBuilder builder(domain);
  for (std::size_t i = 0; i < trips; ++i) {
    std::vector<std::uint32_t> cell;
    for (const Axis& axis : domain.axes()) cell.push_back(static_cast<std::uint32_t>(numbers.below(axis.cells)));
    EXPECT_TRUE(builder.add(cell, 1 + numbers.below(3)));
  }
  return std::move(builder).build();
}

TEST(Regrid, EveryTripIsInTheCellOfItsPlace) {
  const Matrix fine = spread(*Domain::of_shape({1000, 700, 1000, 700}), 500, 3);
  const Result<Regrid> grid = Regrid::make(fine, std::pair(30u, 7u));  // 1000 is no multiple of 30
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->domain().shape_text(), "30x7x30x7");
  EXPECT_FALSE(grid->whole_cells());
  const Matrix coarse = grid->matrix();
  EXPECT_EQ(coarse.total(), fine.total());
  std::map<u128, std::uint64_t> expected;
  for (std::size_t row = 0; row < fine.keys().size(); ++row) {
    std::vector<std::uint32_t> at;
    for (std::size_t axis = 0; axis < 4; ++axis) {
      const std::uint32_t cell = fine.keys_of_axes().cell(fine.keys()[row], axis);
      const double place = grid->place(axis, cell);
      EXPECT_EQ(grid->cell(axis, cell), static_cast<std::uint32_t>(place));
      const Interval near = grid->around(axis, place, place);
      EXPECT_TRUE(near.lo <= cell && cell < near.hi && near.width() <= 3);
      at.push_back(static_cast<std::uint32_t>(place));
    }
    expected[coarse.keys_of_axes().pack(at)] += fine.counts()[row];
  }
  ASSERT_EQ(coarse.keys().size(), expected.size());
  for (std::size_t row = 0; row < coarse.keys().size(); ++row) {
    EXPECT_EQ(coarse.counts()[row], expected[coarse.keys()[row]]);
  }
}

TEST(Regrid, KeepsWhereCellsLieAndOtherAxes) {
  const Axis lon{"a0", 4096, AxisKind::longitude, -123, -122, {}}, lat{"a1", 4096, AxisKind::latitude, 37, 38, {}};
  const Axis hour{"a2", 24, AxisKind::time, 0, 24, {}};
  const Domain domain = *Domain::make({lon, lat, hour}, {{"origin", {0, 1}}, {"hour", {2}}});
  const Matrix fine = spread(domain, 20, 4);
  const Result<Regrid> grid = Regrid::make(fine, std::pair(100u, 50u));
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->domain().shape_text(), "100x50x24");
  EXPECT_EQ(grid->domain().axis(0).lower, -123);
  EXPECT_EQ(grid->domain().axis(1).upper, 38);
  EXPECT_TRUE(Regrid::make(fine, std::nullopt)->whole_cells());
  EXPECT_EQ(stop_planes(domain), std::vector<StopPlane>({{0, 1}}));
}

TEST(Regrid, RefusesWhatIsFinerThanTheTrips) {
  const Matrix fine = spread(*Domain::of_shape({64, 64}), 20, 5);
  const Result<Regrid> grid = Regrid::make(fine, std::pair(65u, 64u));
  ASSERT_FALSE(grid);
  EXPECT_EQ(grid.error().failure, Failure::usage);
  EXPECT_TRUE(grid.error().message.starts_with("a grid of 65x64 is finer")) << grid.error().message;
}

}  // namespace
}  // namespace stopover
