#include "privacy/sparse_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "testing/test_key.h"

namespace stopover {
namespace {

StreamLabel label(std::uint32_t call) { return {{}, call, static_cast<std::uint32_t>(Purpose::sparse)}; }

std::vector<NumberedCount> draw(std::uint32_t call, Rate rate, std::uint64_t threshold, std::uint64_t cells,
                                const std::vector<NumberedCount>& truth) {
  Stream stream(test_key("sparse"), label(call));
  return sparse_noise(stream, rate, threshold, cells, truth);
}

// Fixed keys; at 5 deviations each of the some 40 comparisons below would fail by chance once in 1.7 million.
void expect_share(double observed, double draws, double p, const std::string& what) {
  EXPECT_NEAR(observed / draws, p, 5 * std::sqrt(p * (1 - p) / draws) + 1e-9) << what;
}

// Six cells, of which two hold trips: how often each is listed, and with which value, against the definition.
TEST(SparseNoise, EveryCellHasItsLaw) {
  constexpr int kDraws = 60'000;
  for (const auto& [rate, threshold] :
       std::vector<std::pair<Rate, std::uint64_t>>{{{1, 1}, 2}, {{3, 10}, 7}, {{2, 1}, 1}}) {
    const double a = std::exp(-static_cast<double>(rate.num) / static_cast<double>(rate.den));
    const auto t = static_cast<std::int64_t>(threshold);
    const std::vector<NumberedCount> truth = {{2, 1}, {4, t}};
    std::map<std::pair<std::uint64_t, std::int64_t>, int> seen;
    std::map<std::uint64_t, int> listed;
    for (std::uint32_t i = 0; i < kDraws; ++i) {
      const auto cells = draw(i, rate, threshold, 6, truth);
      ASSERT_EQ(cells[0].cell, 0u);
      for (std::size_t j = 0; j < cells.size(); ++j) {
        ASSERT_TRUE(j == 0 || cells[j - 1].cell < cells[j].cell);
        ASSERT_TRUE(cells[j].cell == 0 || std::abs(cells[j].count) >= t);
        ++listed[cells[j].cell];
        ++seen[{cells[j].cell, cells[j].count}];
      }
    }
    const auto law = [&](std::int64_t x) { return (1 - a) / (1 + a) * std::pow(a, std::abs(x)); };
    for (std::uint64_t cell = 0; cell < 6; ++cell) {
      const std::int64_t n = cell == 2 ? 1 : cell == 4 ? t : 0;
      double p = 0;
      for (std::int64_t x = -400; x <= 400; ++x) p += cell == 0 || std::abs(x) >= t ? law(x - n) : 0;
      expect_share(listed[cell], kDraws, p, "cell " + std::to_string(cell));
      for (std::int64_t x : {-t - 1, -t, t, t + 1, t + 3}) {
        expect_share(seen[{cell, x}], kDraws, law(x - n),
                     "cell " + std::to_string(cell) + " value " + std::to_string(x));
      }
    }
  }
}

// 2^61 cells, a threshold that lists 2,000 of them on average: their number, where they are, and how large.
TEST(SparseNoise, AHugeDomainListsAsManyAsItShouldEverywhereAlike) {
  const Rate rate{1, 2};
  const std::uint64_t cells = std::uint64_t{1} << 61, threshold = 70;
  const double a = std::exp(-0.5), p = 2 * std::pow(a, 70) / (1 + a);
  double number = 0, left = 0, negative = 0, large = 0;
  constexpr int kDraws = 20;
  for (std::uint32_t i = 0; i < kDraws; ++i) {
    for (const NumberedCount& c : draw(i, rate, threshold, cells, {{5, 1}})) {
      if (c.cell == 0 || c.cell == 5) continue;
      ++number;
      left += c.cell < cells / 4;
      negative += c.count < 0;
      large += std::abs(c.count) >= 72;
    }
  }
  const double mean = kDraws * p * std::ldexp(1.0, 61);
  ASSERT_GT(mean, 20'000);
  EXPECT_NEAR(number, mean, 5 * std::sqrt(mean));
  expect_share(left, number, 0.25, "first quarter");
  expect_share(negative, number, 0.5, "negative");
  expect_share(large, number, a * a, "two above the threshold");
}

TEST(SparseNoise, AlwaysListsTheFirstCellAndAlmostNothingElseBehindAHighThreshold) {
  for (std::uint32_t i = 0; i < 100; ++i) {
    const auto cells = draw(i, {1, 1}, 1'000'000, std::uint64_t{1} << 61, {{7, 3}, {8, 2'000'000}});
    ASSERT_EQ(cells.size(), 2u);
    EXPECT_EQ(cells[0].cell, 0u);
    EXPECT_EQ(cells[1].cell, 8u);
    EXPECT_NEAR(static_cast<double>(cells[1].count), 2e6, 100);
  }
}

TEST(SparseNoiseDeathTest, ThresholdsThatListTooMuchAbort) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(draw(0, {1, 10}, 1, 100, {}), "half");
  EXPECT_DEATH(draw(0, {1, 1}, 2, std::uint64_t{1} << 60, {}), "too many");
}

}  // namespace
}  // namespace stopover
