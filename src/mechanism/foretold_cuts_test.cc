#include "mechanism/foretold_cuts.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

using Lines = std::vector<std::uint32_t>;

// Sums of what cells hold, from the first line on.
std::vector<double> below(const std::vector<double>& cells) {
  std::vector<double> sums = {0};
  for (double cell : cells) sums.push_back(sums.back() + cell);
  return sums;
}

TEST(ForetoldCuts, NothingForetoldIsCutByArea) {
  EXPECT_EQ(foretold_cuts(100, 4, below(std::vector<double>(40, 0))), (Lines{110, 120, 130}));
  EXPECT_EQ(foretold_cuts(100, 4, below(std::vector<double>(40, 1))), (Lines{110, 120, 130}));
}

TEST(ForetoldCuts, PartsAreSmallerWhereTripsAreForetold) {
  // All of it in the first eight of 48 cells, evenly: half of a side's share is reached where 2/3 x/48 + 1/3 = 1/2.
  std::vector<double> cells(48, 0);
  for (std::size_t i = 0; i < 8; ++i) cells[i] = 1;
  const Lines cut = foretold_cuts(0, 2, below(cells));
  EXPECT_EQ(cut, (Lines{12}));
}

TEST(ForetoldCuts, LinesGoToGapsAndNotThroughBusyPlaces) {
  // A busy place in the middle with a gap of two cells in it, a little beside the middle line.
  std::vector<double> cells(20, 1);
  for (std::size_t i = 4; i < 13; ++i) cells[i] = 10;
  cells[8] = cells[9] = 0;
  EXPECT_EQ(foretold_cuts(0, 2, below(cells)), (Lines{9}));
  cells[8] = cells[9] = 10;
  cells[10] = cells[11] = 0;
  EXPECT_EQ(foretold_cuts(0, 2, below(cells)), (Lines{11}));
}

TEST(ForetoldCuts, EveryPartHasACell) {
  std::vector<double> cells(6, 0);
  cells[5] = 1;
  EXPECT_EQ(foretold_cuts(3, 6, below(cells)), (Lines{4, 5, 6, 7, 8}));
  cells = {1, 0, 0, 0, 0, 0};
  EXPECT_EQ(foretold_cuts(0, 6, below(cells)), (Lines{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace stopover
