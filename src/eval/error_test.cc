#include "eval/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "synthetic/generate.h"

namespace stopover {
namespace {

TEST(ErrorSummary, IsComputedByHand) {
  const std::vector<Outcome> outcomes = {
      {10, 15, 5, 12},    // 50 %; floor 2 does not matter; inside; width 7
      {1, 4, 2, 6},       // 300 %; bounded 150 %; 1 below the interval; width 4
      {100, 90, 95, 99},  // 10 %; 1 above; width 4
      {0, 3, -1, 7},      // no relative error; bounded 150 %; inside; width 8
  };
  const ErrorSummary s = summarise(outcomes, 2000, 0.9);
  EXPECT_EQ(s.queries, 4u);
  EXPECT_DOUBLE_EQ(s.mre, (50 + 300 + 10) / 3.0);
  EXPECT_DOUBLE_EQ(s.mre_error, std::sqrt(70 * 70 + 180 * 180 + 110 * 110) / 3);
  EXPECT_DOUBLE_EQ(s.median_re, 50);
  EXPECT_DOUBLE_EQ(s.re_p90, 250);
  EXPECT_DOUBLE_EQ(s.bounded_re, (50 + 150 + 10 + 150) / 4.0);
  EXPECT_DOUBLE_EQ(s.mean_absolute, (5 + 3 + 10 + 3) / 4.0);
  EXPECT_DOUBLE_EQ(s.max_absolute, 10);
  EXPECT_DOUBLE_EQ(s.over_p99, 3 + 0.97 * 2);  // of -10, 3, 3, 5
  EXPECT_DOUBLE_EQ(s.mean_inverse, (0.1 + 1 + 0.01) / 3);
  EXPECT_DOUBLE_EQ(s.coverage, 0.5);
  EXPECT_DOUBLE_EQ(s.mean_width, (7 + 4 + 4 + 8) / 4.0);
  EXPECT_NEAR(s.interval_score, (7 + 24 + 24 + 8) / 4.0, 1e-12);
}

TEST(ErrorSummary, OfNothingIsZero) {
  EXPECT_EQ(summarise({}, 100, 0.95).mre, 0);
  const std::vector<Outcome> zero = {{0, 0, 0, 0}};
  const ErrorSummary s = summarise(zero, 0, 0.95);
  EXPECT_EQ(s.bounded_re, 0);
  EXPECT_EQ(s.mre, 0);
  EXPECT_EQ(s.coverage, 1);
}

TEST(Quantile, LiesBetweenNeighbours) {
  EXPECT_EQ(quantile(std::vector<double>{3}, 0.9), 3);
  EXPECT_EQ(quantile(std::vector<double>{1, 3}, 0.5), 2);
  EXPECT_EQ(quantile(std::vector<double>{1, 3, 5}, 0.5), 3);
  EXPECT_EQ(quantile(std::vector<double>{1, 2, 3, 4, 5}, 0.1), 1.4);
  EXPECT_EQ(quantile(std::vector<double>{1, 2, 3, 4, 5}, 1), 5);
}

TEST(Entropy, IsInBits) {
  EXPECT_DOUBLE_EQ(entropy(std::vector<std::uint64_t>{1, 1, 1, 1}), 2);
  EXPECT_DOUBLE_EQ(entropy(std::vector<std::uint64_t>{2, 1, 1, 0}), 1.5);
  EXPECT_DOUBLE_EQ(entropy(std::vector<std::uint64_t>{7}), 0);
  EXPECT_EQ(entropy({}), 0);
}

TEST(Entropy, OfAPartitionIsOfItsTrueCounts) {
  MatrixBuilder builder(*Domain::of_shape({4, 2}));
  builder.add(std::array{0u, 0u}, 1);
  builder.add(std::array{1u, 1u}, 1);
  builder.add(std::array{2u, 0u}, 2);
  const Matrix matrix = std::move(builder).build();
  const RangeCounter truth(matrix);
  Release release;
  release.domain = matrix.domain();
  Table& table = release.tables.emplace_back();
  table.axes = {0, 1};
  table.lo.resize(2);
  table.hi.resize(2);
  const auto box = [](std::uint32_t lo, std::uint32_t hi) {
    const std::array<Interval, 2> sides = {{{lo, hi}, {0, 2}}};
    return Box(sides);
  };
  table.append(box(0, 4), -1, 99, 1, 0);
  table.append(box(0, 2), 0, 50, 1, 0);
  table.append(box(2, 4), 0, 50, 1, 0);
  EXPECT_DOUBLE_EQ(cell_entropy(matrix), 1.5);
  EXPECT_DOUBLE_EQ(partition_entropy(release, truth), 1);
}

}  // namespace
}  // namespace stopover
