#include "mechanism/level_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "matrix/matrix.h"
#include "mechanism/grid_estimate.h"
#include "privacy/stream_dice.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

constexpr std::uint32_t kSide = 64;

// Trips of two stops on one map: the first stop lies around (16, 16), the second `apart` cells further on both axes.
Matrix two_stops(std::size_t trips, int apart) {
  std::mt19937_64 random(7);
  std::binomial_distribution<int> place(32, 0.5);
  MatrixBuilder builder(*Domain::of_shape({kSide, kSide, kSide, kSide}));
  for (std::size_t i = 0; i < trips; ++i) {
    std::vector<std::uint32_t> cell;
    for (int axis = 0; axis < 4; ++axis)
      cell.push_back(static_cast<std::uint32_t>(place(random) + (axis < 2 ? 0 : apart)));
    builder.add(cell, 1);
  }
  return std::move(builder).build();
}

struct Bought {
  GridCounts grid;
  std::vector<std::vector<double>> estimates;
  Ticks each = 0;
};

Bought buy(const Matrix& matrix, Ticks slice) {
  StreamDice dice(test_key("level grid"));
  Kernel kernel(matrix, dice, slice, 1);
  Family root = kernel.pooled_view("maps", {{0, 1}, {2, 3}}, slice);
  Bought bought;
  bought.each = root.left();
  bought.grid = measure_grid(kernel, std::move(kernel.open(std::move(root))[0]), static_cast<double>(matrix.total()), 1,
                             {1.5, 1, 40, 1 << 20});
  bought.estimates = estimate_stops(bought.grid, 1e-9);
  return bought;
}

double share_together(const GridCounts& grid) {
  const auto together = static_cast<double>(std::count(grid.apart.begin(), grid.apart.end(), false));
  return together / static_cast<double>(grid.apart.size());
}

TEST(LevelGrid, StopsThatDifferAreToldApartAndAlikeOnesCountedTogether) {
  const Bought alike = buy(two_stops(20'000, 0), 200'000'000), apart = buy(two_stops(20'000, 28), 200'000'000);
  EXPECT_GT(share_together(alike.grid), 0.5);
  EXPECT_LT(share_together(apart.grid), share_together(alike.grid));
}

TEST(LevelGrid, EveryPathSpendsAllThatAPointHasAndNoMore) {
  const Bought bought = buy(two_stops(20'000, 10), 200'000'000);
  const Table& tree = bought.grid.tree;
  const std::vector<bool> leaf = tree.leaves();
  for (std::size_t row = 0; row < tree.rows(); ++row) {
    Ticks path = 0;
    for (auto at = static_cast<std::int32_t>(row); at >= 0; at = tree.parent[static_cast<std::size_t>(at)]) {
      path += tree.row_ticks[static_cast<std::size_t>(at)];
    }
    if (leaf[row]) {
      EXPECT_EQ(path, bought.each) << row;
    } else {
      EXPECT_LE(path, bought.each) << row;
    }
  }
}

TEST(LevelGrid, EstimatesAddUpAndAreNotNegative) {
  const Bought bought = buy(two_stops(5'000, 20), 100'000'000);
  const Table& tree = bought.grid.tree;
  for (const std::vector<double>& estimate : bought.estimates) {
    EXPECT_NEAR(estimate[0], tree.estimate[0], 1e-6);
    std::vector<double> below(tree.rows(), 0.0);
    for (std::size_t row = 1; row < tree.rows(); ++row) {
      EXPECT_GE(estimate[row], 0);
      below[static_cast<std::size_t>(tree.parent[row])] += estimate[row];
    }
    const std::vector<bool> leaf = tree.leaves();
    for (std::size_t row = 0; row < tree.rows(); ++row) {
      if (leaf[row]) continue;
      EXPECT_NEAR(below[row], estimate[row], 1e-6 * std::max(1.0, estimate[row])) << row;
    }
  }
}

// With much budget each stop's map is nearly the truth, though boxes were counted together where the stops are alike.
TEST(LevelGrid, MuchBudgetGivesEachStopItsOwnMap) {
  const Matrix matrix = two_stops(20'000, 20);
  const Bought bought = buy(matrix, 40'000'000'000);
  const Table& tree = bought.grid.tree;
  const std::vector<bool> leaf = tree.leaves();
  double mean_first[2] = {0, 0}, total[2] = {0, 0};
  for (std::size_t row = 0; row < tree.rows(); ++row) {
    if (!leaf[row]) continue;
    for (std::size_t stop = 0; stop < 2; ++stop) {
      mean_first[stop] += bought.estimates[stop][row] * 0.5 * (tree.lo[0][row] + tree.hi[0][row] - 1);
      total[stop] += bought.estimates[stop][row];
    }
  }
  EXPECT_NEAR(mean_first[0] / total[0], 16, 0.2);
  EXPECT_NEAR(mean_first[1] / total[1], 36, 0.2);
}

TEST(LevelGrid, SameKeySameCounts) {
  const Matrix matrix = two_stops(3'000, 5);
  const Bought a = buy(matrix, 300'000'000), b = buy(matrix, 300'000'000);
  EXPECT_EQ(a.grid.counts, b.grid.counts);
  EXPECT_EQ(a.estimates, b.estimates);
}

}  // namespace
}  // namespace stopover
