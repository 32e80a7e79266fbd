#include "privacy/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stopover {
namespace {

using Coordinates = std::vector<std::uint32_t>;

Matrix random_matrix(const std::vector<std::uint64_t>& shape, std::size_t trips, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  MatrixBuilder builder(*Domain::of_shape(shape));
  for (std::size_t i = 0; i < trips; ++i) {
    Coordinates cell;
    for (std::uint64_t width : shape) cell.push_back(static_cast<std::uint32_t>(random() % width));
    builder.add(cell, 1 + random() % 3);
  }
  return std::move(builder).build();
}

// Which child a cell belongs to, by the definition of cuts: half-open intervals, the last axis fastest.
std::size_t child_by_definition(const Cuts& cuts, const std::vector<std::uint32_t>& cell) {
  std::size_t child = 0;
  for (std::size_t axis = 0; axis < cuts.size(); ++axis) {
    std::size_t part = 0;
    for (std::uint32_t cut : cuts[axis]) part += cell[axis] >= cut;
    child = child * (cuts[axis].size() + 1) + part;
  }
  return child;
}

TEST(CellSorter, AgreesWithTheDefinitionOnNarrowAndVeryWideAxes) {
  std::mt19937_64 random(1);
  for (std::uint64_t width : {5u, 100u, 1u << 20, (1u << 20) + 1, 1u << 30}) {
    const std::vector<std::uint32_t> widths = {7, static_cast<std::uint32_t>(width), 3};
    const CellKeys layout(widths);
    const std::array<Interval, 3> sides = {Interval{2, 7}, {1, widths[1]}, {0, 3}};
    const Box box(sides);
    Cuts cuts(3);
    cuts[0] = {4, 5};
    for (int i = 0; i < 6; ++i) cuts[1].push_back(static_cast<std::uint32_t>(2 + random() % (width - 2)));
    std::sort(cuts[1].begin(), cuts[1].end());
    cuts[1].erase(std::unique(cuts[1].begin(), cuts[1].end()), cuts[1].end());
    const CellSorter sorter(box, cuts, layout);
    EXPECT_EQ(sorter.children(), 3 * (cuts[1].size() + 1));
    std::vector<std::uint32_t> places = {1, widths[1] - 1};
    for (std::uint32_t cut : cuts[1]) places.insert(places.end(), {cut - 1, cut});
    for (int i = 0; i < 100; ++i) places.push_back(static_cast<std::uint32_t>(1 + random() % (width - 1)));
    for (std::uint32_t place : places) {
      for (std::uint32_t first = 2; first < 7; ++first) {
        const Coordinates cell = {first, place, static_cast<std::uint32_t>(random() % 3)};
        EXPECT_EQ(sorter.child_of(layout.pack(cell)), child_by_definition(cuts, cell)) << width << " " << place;
      }
    }
  }
}

TEST(View, ArrangeMovesEveryRowToItsChildAndOnlyWithinTheRange) {
  const Matrix matrix = random_matrix({20, 9}, 300, 2);
  View view("v", MatrixSource(matrix), {{0, 1}}, false, 1, 0);
  const auto keys_before = view.keys;
  const auto counts_before = view.counts;
  const Cuts cuts = {{}, {2, 5}};
  const CellSorter sorter(view.whole, cuts, view.layout);
  const std::size_t begin = 30, end = view.keys.size() - 20;
  const auto totals = view.totals(begin, end, sorter);
  const auto first = view.arrange(begin, end, sorter);
  ASSERT_EQ(first.size(), 4u);
  EXPECT_EQ(first.front(), begin);
  EXPECT_EQ(first.back(), end);
  for (std::size_t child = 0; child < 3; ++child) {
    std::int64_t sum = 0;
    for (std::size_t row = first[child]; row < first[child + 1]; ++row) {
      EXPECT_EQ(sorter.child_of(view.keys[row]), child);
      sum += static_cast<std::int64_t>(view.counts[row]);
      EXPECT_TRUE(row == first[child] || view.keys[row - 1] < view.keys[row]) << "order within a child";
    }
    EXPECT_EQ(sum, totals[child]);
  }
  std::vector<std::pair<u128, std::uint64_t>> before, after;
  for (std::size_t row = 0; row < view.keys.size(); ++row) {
    EXPECT_TRUE((row >= begin && row < end) ||
                (view.keys[row] == keys_before[row] && view.counts[row] == counts_before[row]));
    before.emplace_back(keys_before[row], counts_before[row]);
    after.emplace_back(view.keys[row], view.counts[row]);
  }
  std::sort(after.begin(), after.end());
  EXPECT_TRUE(before == after) << "no row is lost or doubled";
}

TEST(View, ProjectionMergesCells) {
  const Matrix matrix = random_matrix({4, 50, 5}, 400, 3);
  const View view("v", MatrixSource(matrix), {{0, 2}}, false, 1, 0);
  EXPECT_LE(view.keys.size(), 20u);
  std::vector<std::uint64_t> expected(20, 0);
  for (std::size_t row = 0; row < matrix.keys().size(); ++row) {
    const u128 key = matrix.keys()[row];
    expected[matrix.keys_of_axes().cell(key, 0) * 5 + matrix.keys_of_axes().cell(key, 2)] += matrix.counts()[row];
  }
  for (std::size_t row = 0; row < view.keys.size(); ++row) {
    auto& left = expected[view.layout.cell(view.keys[row], 0) * 5 + view.layout.cell(view.keys[row], 1)];
    EXPECT_EQ(left, view.counts[row]);
    left = 0;
  }
  EXPECT_EQ(std::count(expected.begin(), expected.end(), 0u), 20);
}

TEST(View, TotalsStopAtTheLimitInsteadOfWrapping) {
  MatrixBuilder builder(*Domain::of_shape({20}));
  for (std::uint32_t i = 0; i < 20; ++i) builder.add(Coordinates{i}, kMaxCount - i);
  const Matrix matrix = std::move(builder).build();
  const View view("v", MatrixSource(matrix), {{0}}, false, 1, 0);
  const Cuts cuts = {{1, 2}};
  const auto totals = view.totals(0, 20, CellSorter(view.whole, cuts, view.layout));
  EXPECT_EQ(totals[0], static_cast<std::int64_t>(kMaxCount));
  EXPECT_EQ(totals[1], static_cast<std::int64_t>(kMaxCount - 1));
  EXPECT_EQ(totals[2], static_cast<std::int64_t>(kMaxCount));
}

TEST(ViewDeathTest, ALabelServesOnce) {
  const Matrix matrix = random_matrix({4}, 3, 4);
  View view("v", MatrixSource(matrix), {{0}}, false, 1, 0);
  const NodePath root = root_path(0);
  view.use_label({root, 0, 1});
  view.use_label({root, 1, 1});
  view.use_label({root, 0, 2});
  view.use_label({child_path(root, 0, 0), 0, 1});
  view.use_label({child_path(root, 0, 1), 0, 1});
  view.use_label({child_path(root, 1, 0), 0, 1});
  EXPECT_DEATH(view.use_label({root, 1, 1}), "used twice");
  EXPECT_DEATH(view.use_label({child_path(root, 0, 1), 0, 1}), "used twice");
}

}  // namespace
}  // namespace stopover
