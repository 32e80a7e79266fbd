#include "release/stop_map.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stopover {
namespace {

// 12 x 10 cells in five leaves of unequal sides.
const std::vector<StopMap::Leaf> kLeaves = {
    {{0, 5}, {0, 4}, 40}, {{0, 5}, {4, 10}, 3}, {{5, 12}, {0, 7}, 100}, {{5, 12}, {7, 10}, 0}};

double cell(const StopMap& map, std::uint32_t i, std::uint32_t j) {
  return map.mass(Interval{i, i + 1}, Interval{j, j + 1});
}

TEST(StopMap, EvenLeavesSpreadTheirMassEvenly) {
  const StopMap map(12, 10, kLeaves, false);
  EXPECT_NEAR(cell(map, 2, 3), 40.0 / 20, 1e-6);
  EXPECT_NEAR(cell(map, 11, 9), 0, 1e-6);
  EXPECT_NEAR(map.mass(Span{4.5, 5.5}, Span{0, 1}), 0.5 * 2 + 0.5 * 100 / 49, 1e-6);
}

// What the header says, cell by cell: the even map's mean over the leaf-sized window around the cell, scaled to the
// leaf.
TEST(StopMap, SmoothCellsFollowTheirWindow) {
  const StopMap even(12, 10, kLeaves, false), smooth(12, 10, kLeaves, true);
  for (const StopMap::Leaf& leaf : kLeaves) {
    EXPECT_NEAR(smooth.mass(leaf.x, leaf.y), leaf.mass, 1e-6);
    if (leaf.mass == 0) continue;
    const double a = leaf.x.width() / 2.0, b = leaf.y.width() / 2.0;
    const auto near = [&](std::uint32_t i, std::uint32_t j) {
      const Span x{std::max(0.0, i + 0.5 - a), std::min(12.0, i + 0.5 + a)};
      const Span y{std::max(0.0, j + 0.5 - b), std::min(10.0, j + 0.5 + b)};
      return even.mass(x, y) / ((x.hi - x.lo) * (y.hi - y.lo));
    };
    double sum = 0;
    for (std::uint32_t i = leaf.x.lo; i < leaf.x.hi; ++i) {
      for (std::uint32_t j = leaf.y.lo; j < leaf.y.hi; ++j) sum += near(i, j);
    }
    for (std::uint32_t i = leaf.x.lo; i < leaf.x.hi; ++i) {
      for (std::uint32_t j = leaf.y.lo; j < leaf.y.hi; ++j) {
        EXPECT_NEAR(cell(smooth, i, j), near(i, j) * leaf.mass / sum, 1e-6) << i << ", " << j;
      }
    }
  }
}

TEST(StopMap, SmoothFromALeafOnIsSmoothThereAndEvenBefore) {
  const StopMap even(12, 10, kLeaves, false), smooth(12, 10, kLeaves, true);
  const StopMap mixed(12, 10, kLeaves, StopMap::SmoothFrom{2});
  EXPECT_DOUBLE_EQ(cell(mixed, 1, 1), cell(even, 1, 1));
  EXPECT_NEAR(cell(mixed, 6, 1), cell(smooth, 6, 1), 1e-9);
  EXPECT_GT(std::abs(cell(even, 6, 1) - cell(smooth, 6, 1)), 1e-3);
}

// Evenly spread u and v give every cell its share.
TEST(StopMap, CellsAreDrawnByTheirMass) {
  const StopMap map(12, 10, kLeaves, true);
  const Interval x{3, 9}, y{2, 8};
  constexpr int kSteps = 400;
  std::vector<double> drawn(12 * 10, 0.0);
  for (int i = 0; i < kSteps; ++i) {
    for (int j = 0; j < kSteps; ++j) {
      const StopMap::Cell at = map.cell_at(x, y, (i + 0.5) / kSteps, (j + 0.5) / kSteps);
      drawn[at.x * 10 + at.y] += 1.0 / (kSteps * kSteps);
    }
  }
  for (std::uint32_t i = 0; i < 12; ++i) {
    for (std::uint32_t j = 0; j < 10; ++j) {
      const bool inside = i >= x.lo && i < x.hi && j >= y.lo && j < y.hi;
      EXPECT_NEAR(drawn[i * 10 + j], inside ? cell(map, i, j) / map.mass(x, y) : 0, 1e-3) << i << ", " << j;
    }
  }
}

TEST(StopMap, OneAxis) {
  const StopMap map(6, 1, {{{0, 2}, {0, 1}, 10}, {{2, 6}, {0, 1}, 4}}, true);
  EXPECT_NEAR(map.mass(Interval{2, 6}, Interval{0, 1}), 4, 1e-6);
  EXPECT_GT(cell(map, 2, 0), cell(map, 5, 0));
}

TEST(StopMap, OfVeryManyCellsIsCoarserInside) {
  EXPECT_EQ(StopMap::step_of(4096, 4096), 1u);
  EXPECT_EQ(StopMap::step_of(1u << 24, 1), 1u);
  EXPECT_EQ(StopMap::step_of(4097, 4096), 2u);
  EXPECT_EQ(StopMap::step_of(10'000, 10'000), 4u);
  // The last square of an axis is half a one.
  const std::uint32_t n = 5001;
  const std::vector<StopMap::Leaf> leaves = {
      {{0, 2000}, {0, n}, 10},
      {{2000, n}, {0, 1000}, 20},
      {{2000, n}, {1000, n}, 5},
  };
  for (const bool smooth : {false, true}) {
    const StopMap map(n, n, leaves, smooth);
    ASSERT_EQ(map.step(), 2u);
    EXPECT_EQ(map.width(), n);
    for (const StopMap::Leaf& leaf : leaves) EXPECT_NEAR(map.mass(leaf.x, leaf.y), leaf.mass, 0.02) << smooth;
    EXPECT_NEAR(map.mass(Interval{0, n}, Interval{0, n}), 35, 0.02);
    // Additive, also where a square is cut.
    EXPECT_NEAR(map.mass(Interval{0, 777}, Interval{0, n}) + map.mass(Interval{777, n}, Interval{0, n}), 35, 0.02);
    EXPECT_NEAR(map.mass(Span{10.5, 11.5}, Span{0, n}), map.mass(Interval{10, 12}, Interval{0, n}) / 2, 1e-9);
    const StopMap::Cell cell = map.cell_at({2001, 2003}, {7, 12}, 0.5, 0.999);
    EXPECT_TRUE(cell.x >= 2001 && cell.x < 2003 && cell.y >= 7 && cell.y < 12);
  }
  EXPECT_NEAR(StopMap(n, n, leaves, false).mass(Interval{0, 1000}, Interval{0, n}), 5, 0.02);
}

}  // namespace
}  // namespace stopover
