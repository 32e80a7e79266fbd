#include "mechanism/stop_tree.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

// A map of 12 x 8 cells with the same mass everywhere.
StopMap even_map() { return StopMap(12, 8, {{{0, 12}, {0, 8}, 960}}, false); }

// The first `west` columns are area 0, the others area 1.
Borders two_areas(std::uint32_t west) {
  Borders borders{12, 8, {}, 2};
  for (std::uint32_t column = 0; column < 12; ++column)
    for (std::uint32_t row = 0; row < 8; ++row) borders.area.push_back(column < west ? 0 : 1);
  return borders;
}

TEST(StopTreeTest, ABorderMovesTheCut) {
  const StopMap map = even_map();
  StopTree plain(map);
  EXPECT_EQ(plain.cut(StopTree::kRoot).axis, 0);
  EXPECT_EQ(plain.cut(StopTree::kRoot).at, 6u);
  const Borders borders = two_areas(4);
  StopTree tree(map, &borders);
  EXPECT_EQ(tree.cut(StopTree::kRoot).axis, 0);
  EXPECT_EQ(tree.cut(StopTree::kRoot).at, 4u);
}

TEST(StopTreeTest, BordersAcrossTheShorterSideAreFoundToo) {
  const StopMap map = even_map();
  Borders borders{12, 8, {}, 2};
  for (std::uint32_t column = 0; column < 12; ++column)
    for (std::uint32_t row = 0; row < 8; ++row) borders.area.push_back(row < 3 ? Borders::kNoArea : 0);
  StopTree tree(map, &borders);
  EXPECT_EQ(tree.cut(StopTree::kRoot).axis, 1);
  EXPECT_EQ(tree.cut(StopTree::kRoot).at, 3u);
}

TEST(StopTreeTest, WhatLiesInOneAreaIsCutLast) {
  const StopMap map = even_map();
  const Borders borders = two_areas(4);
  StopTree plain(map), tree(map, &borders);
  const StopTree::Node root = tree.cut(StopTree::kRoot);
  // Half of the mixture of 1/3 and 2/3: 4/9 of its variance counts, and hardly anything of its parts'.
  EXPECT_NEAR(tree.node(StopTree::kRoot).scatter / plain.node(StopTree::kRoot).scatter, 4.0 / 9, 0.02);
  EXPECT_LT(tree.node(root.below).scatter, 0.05 * plain.node(StopTree::kRoot).scatter);
  EXPECT_LT(tree.node(root.above).scatter, 0.05 * plain.node(StopTree::kRoot).scatter);
  // Inside an area a box is cut as without borders.
  const StopTree::Node inside = tree.cut(root.above);
  EXPECT_EQ(inside.at, inside.axis == 0 ? 8u : 4u);
}

TEST(StopTreeTest, AreasCountAsManyAsTripsAreSpreadOver) {
  const StopMap map = even_map();
  const Borders halves = two_areas(6), thirds = two_areas(4);
  EXPECT_DOUBLE_EQ(StopTree(map).areas(), 1);
  EXPECT_NEAR(StopTree(map, &halves).areas(), 2, 1e-9);
  EXPECT_NEAR(StopTree(map, &thirds).areas(), 1.8, 1e-9);  // two trips in the same one: 1/9 + 4/9
}

}  // namespace
}  // namespace stopover
