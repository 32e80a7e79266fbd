#include "matrix/matrix.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

namespace stopover {
namespace {

TEST(Matrix, SortsMergesAndRefusesCellsOutside) {
  MatrixBuilder builder(*Domain::of_shape({3, 2, 3}));
  using Cell = std::array<std::uint32_t, 3>;
  EXPECT_TRUE(builder.add(Cell{2, 1, 2}, 5));
  EXPECT_TRUE(builder.add(Cell{0, 0, 1}, 1));
  EXPECT_TRUE(builder.add(Cell{2, 1, 2}, 2));
  EXPECT_TRUE(builder.add(Cell{1, 1, 1}, 0));
  EXPECT_FALSE(builder.add(Cell{3, 0, 0}, 1));
  EXPECT_FALSE(builder.add(Cell{0, 2, 0}, 1));
  const Matrix matrix = std::move(builder).build();
  ASSERT_EQ(matrix.keys().size(), 2u);
  EXPECT_EQ(matrix.keys_of_axes().cell(matrix.keys()[1], 0), 2u);
  EXPECT_EQ(matrix.keys_of_axes().cell(matrix.keys()[1], 1), 1u);
  EXPECT_EQ(matrix.keys_of_axes().cell(matrix.keys()[1], 2), 2u);
  EXPECT_EQ(matrix.counts()[0], 1u);
  EXPECT_EQ(matrix.counts()[1], 7u);
  EXPECT_EQ(matrix.total(), 8u);
}

TEST(Matrix, CountsStopAtTheirLimit) {
  MatrixBuilder builder(*Domain::of_shape({1}));
  const std::array<std::uint32_t, 1> cell = {0};
  for (int i = 0; i < 5; ++i) builder.add(cell, UINT64_MAX);
  EXPECT_EQ(std::move(builder).build().total(), kMaxCount);
}

TEST(Matrix, OrderOfRowsDoesNotMatter) {
  std::mt19937 random(7);
  std::vector<std::array<std::uint32_t, 8>> cells(2000);
  for (auto& cell : cells) {
    for (auto& c : cell) c = static_cast<std::uint32_t>(random() % 3);
  }
  const Domain domain = *Domain::of_shape(std::vector<std::uint64_t>(8, 1000));
  const auto build = [&] {
    MatrixBuilder builder(domain);
    for (const auto& cell : cells) builder.add(cell, 1);
    return std::move(builder).build();
  };
  const Matrix a = build();
  std::shuffle(cells.begin(), cells.end(), random);
  const Matrix b = build();
  EXPECT_TRUE(std::equal(a.keys().begin(), a.keys().end(), b.keys().begin(), b.keys().end()));
  EXPECT_TRUE(std::equal(a.counts().begin(), a.counts().end(), b.counts().begin(), b.counts().end()));
  EXPECT_EQ(a.total(), 2000u);
}

TEST(Matrix, FewPossibleKeysAreMergedAsManyAre) {
  std::mt19937 random(3);
  for (const std::uint64_t width : {std::uint64_t{7}, std::uint64_t{5000}}) {  // by counters, and by sorting
    MatrixBuilder builder(*Domain::of_shape({width, width}));
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> expected;
    for (int i = 0; i < 3000; ++i) {
      const std::array<std::uint32_t, 2> cell = {static_cast<std::uint32_t>(random() % width),
                                                 static_cast<std::uint32_t>(random() % width)};
      const std::uint64_t count = 1 + random() % 3;
      builder.add(cell, count);
      expected[{cell[0], cell[1]}] += count;
    }
    const Matrix matrix = std::move(builder).build();
    ASSERT_EQ(matrix.keys().size(), expected.size());
    std::size_t i = 0;
    for (const auto& [cell, count] : expected) {
      EXPECT_EQ(matrix.keys_of_axes().cell(matrix.keys()[i], 0), cell.first);
      EXPECT_EQ(matrix.keys_of_axes().cell(matrix.keys()[i], 1), cell.second);
      EXPECT_EQ(matrix.counts()[i++], count);
    }
  }
}

}  // namespace
}  // namespace stopover
