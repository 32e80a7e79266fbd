#include "mechanism/border_cuts.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

// Squares of `side` cells on a map of 100 x 60.
Borders squares(std::uint32_t side) {
  Borders borders{100, 60, {}, std::size_t{100 / side + 1} * (60 / side + 1)};
  for (std::uint32_t column = 0; column < 100; ++column)
    for (std::uint32_t row = 0; row < 60; ++row) borders.area.push_back(column / side * (60 / side + 1) + row / side);
  return borders;
}

TEST(BorderCuts, GoToTheNearestBorder) {
  const Borders borders = squares(20);
  EXPECT_EQ(border_cuts(borders, {0, 100}, {0, 60}, 0, {25, 50, 75}), (std::vector<std::uint32_t>{20, 40, 80}));
  EXPECT_EQ(border_cuts(borders, {0, 100}, {0, 60}, 1, {15, 30, 45}), (std::vector<std::uint32_t>{20, 30, 40}));
}

TEST(BorderCuts, StayInsideTheirPartsAndRise) {
  const Borders borders = squares(2);
  std::vector<std::uint32_t> cuts;
  for (std::uint32_t cut = 1; cut < 100; cut += 3) cuts.push_back(cut);
  const std::vector<std::uint32_t> moved = border_cuts(borders, {0, 100}, {0, 60}, 0, cuts);
  ASSERT_EQ(moved.size(), cuts.size());
  EXPECT_GT(moved.front(), 0u);
  EXPECT_LT(moved.back(), 100u);
  for (std::size_t i = 1; i < moved.size(); ++i) EXPECT_LT(moved[i - 1], moved[i]);
}

TEST(BorderCuts, WithoutABorderNearTheyStay) {
  const Borders borders = squares(20);
  // Within one area, and where the only border runs along fewer than a quarter of the line.
  EXPECT_EQ(border_cuts(borders, {0, 20}, {0, 20}, 0, {5, 10, 15}), (std::vector<std::uint32_t>{5, 10, 15}));
  Borders corner{100, 60, std::vector<std::uint32_t>(6000, 0), 2};
  for (std::uint32_t column = 0; column < 48; ++column)
    for (std::uint32_t row = 0; row < 10; ++row) corner.area[std::size_t{column} * 60 + row] = 1;
  EXPECT_EQ(border_cuts(corner, {0, 100}, {0, 60}, 0, {50}), (std::vector<std::uint32_t>{50}));
  // Of the rows that it does run along it takes the cut.
  EXPECT_EQ(border_cuts(corner, {0, 100}, {0, 20}, 0, {50}), (std::vector<std::uint32_t>{48}));
}

}  // namespace
}  // namespace stopover
