#include "peers/haar.h"

#include <gtest/gtest.h>

#include <map>

namespace stopover {
namespace {

Box box(std::vector<Interval> sides) { return Box(sides); }

// By hand: 4 cells have a sum, one difference of halves and two of neighbours; 5 are treated as 8, of which 3 are
// missing.
TEST(Haar, LevelsAndBlocks) {
  EXPECT_EQ(HaarGrid::levels(1), 1u);
  EXPECT_EQ(HaarGrid::levels(2), 2u);
  EXPECT_EQ(HaarGrid::levels(4), 3u);
  EXPECT_EQ(HaarGrid::levels(5), 4u);
  EXPECT_EQ(HaarGrid::levels(1000), 11u);
  EXPECT_EQ(HaarGrid::block(5, 0), 8u);
  EXPECT_EQ(HaarGrid::block(5, 1), 8u);
  EXPECT_EQ(HaarGrid::block(5, 3), 2u);
  EXPECT_EQ(static_cast<int>(HaarGrid::all_boxes(*Domain::of_shape({4}))), 4);
  EXPECT_EQ(static_cast<int>(HaarGrid::all_boxes(*Domain::of_shape({5}))), 1 + 1 + 2 + 3);
  EXPECT_EQ(static_cast<int>(HaarGrid::all_boxes(*Domain::of_shape({1000, 1000}))), 1002 * 1002);
  EXPECT_EQ(static_cast<int>(HaarGrid::grids(*Domain::of_shape({1000, 1000}))), 121);
  EXPECT_TRUE(HaarGrid::all_boxes(*Domain::of_shape(std::vector<std::uint64_t>(12, 1000))) > u128{1} << 80);
}

TEST(Haar, BoxesHalvesAndSignsOfOneGrid) {
  const Domain domain = *Domain::of_shape({2, 5});
  const HaarGrid grid(domain, 1 * 4 + 2);  // level 1 of 2 cells, level 2 of 5: blocks of 2 and 4
  EXPECT_EQ(grid.level(0), 1u);
  EXPECT_EQ(grid.level(1), 2u);
  ASSERT_EQ(grid.boxes(), 2u);
  EXPECT_EQ(grid.box(0), box({{0, 2}, {0, 4}}));
  EXPECT_EQ(grid.box(1), box({{0, 2}, {4, 5}}));
  EXPECT_EQ(grid.halves(), (std::vector<std::vector<std::uint32_t>>{{1}, {2, 4}}));
  const std::vector<std::uint32_t> first = {0, 1}, second = {0, 3}, both = {1, 2}, last = {0, 4};
  EXPECT_EQ(grid.sign(first), 1);
  EXPECT_EQ(grid.sign(second), -1);
  EXPECT_EQ(grid.sign(both), 1);
  EXPECT_EQ(grid.sign(last), 1);
}

// Every cell is in one box of every grid: what the price of a table rests on.
TEST(Haar, EveryGridTiles) {
  const Domain domain = *Domain::of_shape({3, 1, 6});
  u128 boxes = 0;
  for (std::uint64_t g = 0; g < HaarGrid::grids(domain); ++g) {
    const HaarGrid grid(domain, g);
    boxes += grid.boxes();
    std::map<std::vector<std::uint32_t>, int> in;
    for (std::size_t i = 0; i < grid.boxes(); ++i) {
      const Box b = grid.box(i);
      for (std::uint32_t x = b[0].lo; x < b[0].hi; ++x) {
        for (std::uint32_t z = b[2].lo; z < b[2].hi; ++z) ++in[{x, b[1].lo, z}];
      }
    }
    EXPECT_EQ(in.size(), 18u) << g;
    for (const auto& [cell, times] : in) EXPECT_EQ(times, 1);
  }
  EXPECT_TRUE(boxes == HaarGrid::all_boxes(domain));
}

}  // namespace
}  // namespace stopover
