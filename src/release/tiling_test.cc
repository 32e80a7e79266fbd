#include "release/tiling.h"

#include <gtest/gtest.h>

#include <array>

#include "release/sample_release.h"

namespace stopover {
namespace {

bool tiles(const std::vector<Box>& boxes, const Box& whole) {
  std::vector<std::size_t> axes(whole.axes());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  Table t = sample::table("joint", axes, 1);
  for (const Box& box : boxes) t.append(box, -1, 0, 0, 0);
  const BoxMeasure measure(t);
  BoxMeasure::Amount sum;
  for (const Box& box : boxes) sum += measure.of(box);
  return sum == measure.of(whole);
}

const Box kSquare = sample::box({{0, 3}, {0, 3}});

TEST(Tiling, SeesPinwheelsWhichNoCutDivides) {
  const std::vector<Box> pinwheel = {sample::box({{0, 2}, {0, 1}}), sample::box({{2, 3}, {0, 2}}),
                                     sample::box({{1, 3}, {2, 3}}), sample::box({{0, 1}, {1, 3}}),
                                     sample::box({{1, 2}, {1, 2}})};
  EXPECT_TRUE(tiles(pinwheel, kSquare));
  for (std::size_t i = 0; i < pinwheel.size(); ++i) {
    std::vector<Box> gap = pinwheel;
    gap.erase(gap.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(tiles(gap, kSquare));
  }
}

TEST(Tiling, EqualVolumesAreNotEnough) {
  EXPECT_FALSE(tiles({sample::box({{0, 3}, {0, 2}}), sample::box({{0, 3}, {1, 2}})}, kSquare));
  EXPECT_FALSE(tiles({sample::box({{0, 3}, {0, 2}}), sample::box({{0, 3}, {3, 4}})}, kSquare));
  EXPECT_FALSE(tiles({kSquare, kSquare}, kSquare));
}

// All ways to lay four boxes from a small stock into a 3 x 2 rectangle, against counting cells.
TEST(Tiling, AgreesWithCountingCells) {
  const Box whole = sample::box({{0, 3}, {0, 2}});
  std::vector<Box> stock;
  for (std::uint32_t a = 0; a < 3; ++a) {
    for (std::uint32_t b = a + 1; b <= 3; ++b) {
      for (std::uint32_t c = 0; c < 2; ++c) {
        for (std::uint32_t e = c + 1; e <= 2; ++e) stock.push_back(sample::box({{a, b}, {c, e}}));
      }
    }
  }
  int tilings = 0;
  for (const Box& a : stock) {
    for (const Box& b : stock) {
      for (const Box& c : stock) {
        std::array<std::array<int, 2>, 3> cells{};
        for (const Box& box : {a, b, c}) {
          for (std::uint32_t x = box[0].lo; x < box[0].hi; ++x) {
            for (std::uint32_t y = box[1].lo; y < box[1].hi; ++y) ++cells[x][y];
          }
        }
        bool exact = true;
        for (const auto& column : cells) exact = exact && column[0] == 1 && column[1] == 1;
        ASSERT_EQ(tiles({a, b, c}, whole), exact);
        tilings += exact;
      }
    }
  }
  EXPECT_GT(tilings, 0);
}

TEST(Tiling, TwelveAxesAndWideOnes) {
  const std::uint32_t wide = 1u << 31;
  std::array<Interval, kMaxAxes> sides;
  sides.fill({0, 1024});
  sides[3] = {0, 1};
  const Box whole{std::span(sides)};
  std::vector<Box> boxes = {whole};
  for (std::size_t axis = 0; axis < kMaxAxes; ++axis) {  // halve the first box along each axis in turn
    if (boxes[0][axis].width() < 2) continue;
    boxes.push_back(boxes[0]);
    boxes[0][axis].hi = 512;
    boxes.back()[axis].lo = 512;
  }
  EXPECT_TRUE(tiles(boxes, whole));
  boxes[4][7].lo += 1;
  EXPECT_FALSE(tiles(boxes, whole));
  EXPECT_TRUE(tiles({sample::box({{0, wide - 1}}), sample::box({{wide - 1, wide}})}, sample::box({{0, wide}})));
  EXPECT_FALSE(tiles({sample::box({{0, wide - 1}}), sample::box({{wide - 2, wide - 1}})}, sample::box({{0, wide}})));
}

}  // namespace
}  // namespace stopover
