// The formulas against sums to 1, against brute force, and against the dice of production (the only statistical test
// here: fixed keys, each comparison would alarm once in a billion fresh keys).
#include "testing/likelihood.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "privacy/stream_dice.h"
#include "testing/goodness_of_fit.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

const Rate kRates[] = {{1, 3}, {1, 1}, {20, 9}, {100'000'000, 1'000'000'000}, {7, 100}};

Bounds total(const std::vector<Bounds>& logs) {
  Bounds sum = 0;
  for (const Bounds& l : logs) sum = sum + exp(l);
  return sum;
}

TEST(Likelihood, CountsSumToOneAndFallByTheRate) {
  for (Rate rate : kRates) {
    std::vector<Bounds> logs;
    for (std::int64_t y = -2000; y <= 2010; ++y) logs.push_back(log_count(rate, 5, y));
    EXPECT_NEAR(static_cast<double>(total(logs).lo), 1, 1e-15);
    const Bounds fall = log_count(rate, 5, 9) - log_count(rate, 5, 12) -
                        Bounds(3) * Bounds(static_cast<long double>(rate.num)) / static_cast<long double>(rate.den);
    EXPECT_TRUE(fall.contains(0));
    EXPECT_LT(fall.width(), 1e-16L);
    EXPECT_NEAR(
        static_cast<double>(exp(log_count(rate, 0, 3)).lo),
        static_cast<double>(laplace_pmf(static_cast<long double>(rate.num) / static_cast<long double>(rate.den), 3)),
        1e-15);
  }
}

// By the definition: all orders, all coins.
std::vector<double> by_brute_force(const std::vector<std::uint64_t>& penalties, double rate) {
  const std::uint64_t least = *std::min_element(penalties.begin(), penalties.end());
  std::vector<std::size_t> order(penalties.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> probability(penalties.size(), 0);
  double orders = 0;
  do {
    double reached = 1;
    for (std::size_t i : order) {
      const double taken = std::exp(-rate * static_cast<double>(penalties[i] - least));
      probability[i] += reached * taken;
      reached *= 1 - taken;
    }
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  for (double& p : probability) p /= orders;
  return probability;
}

TEST(Likelihood, ChoicesEqualBruteForceOverAllOrders) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> penalties(1 + random() % 7);
    for (auto& p : penalties) p = random() % 12;
    const u128 num = 1 + random() % 5, den = 1 + random() % 20;
    const auto expected = by_brute_force(penalties, static_cast<double>(num) / static_cast<double>(den));
    for (std::size_t i = 0; i < penalties.size(); ++i) {
      const Bounds ours = exp(log_choice(penalties, num, den, i));
      EXPECT_NEAR(static_cast<double>(ours.lo), expected[i], 1e-13);
      EXPECT_LT(ours.width(), 1e-16L);
    }
  }
}

TEST(Likelihood, ChoicesAmongManySumToOneEvenWhenHopeless) {
  std::vector<std::uint64_t> penalties = {0, 1, 0, 5, 9, 100, 3, 3, 2, 7, 40, 1'000'000};
  Bounds sum = 0;
  for (std::size_t i = 0; i < penalties.size(); ++i) sum = sum + exp(log_choice(penalties, 1, 4, i));
  EXPECT_TRUE(sum.contains(1));
  EXPECT_LT(sum.width(), 1e-15L);
  const Bounds hopeless = log_choice(penalties, 1, 4, 11);
  EXPECT_LT(hopeless.hi, -250'000.0L);
  EXPECT_GT(hopeless.lo, -250'010.0L);
  EXPECT_LT(hopeless.width(), 1e-12L);
}

TEST(Likelihood, GrowAndGradualAreLaws) {
  for (Rate rate : kRates) {
    for (std::int64_t truth : {-40, -3, -1, 0, 1, 2, 30}) {
      const Bounds sum = exp(log_grow(rate, truth, true)) + exp(log_grow(rate, truth, false));
      EXPECT_TRUE(sum.contains(1));
      Bounds above = 0;
      for (std::int64_t y = 1; y < 4000; ++y) above = above + exp(log_count(rate, truth, y));
      EXPECT_NEAR(static_cast<double>(above.lo), static_cast<double>(exp(log_grow(rate, truth, true)).lo), 1e-14);
    }
  }
  // The coarse half of a gradual pair has the coarse law.
  const Rate fine{3, 4}, coarse{1, 4};
  for (std::int64_t y : {-7, 0, 1, 12}) {
    Bounds sum = 0;
    for (std::int64_t h = -300; h <= 300; ++h) sum = sum + exp(log_gradual(fine, coarse, 2, h, y));
    EXPECT_NEAR(static_cast<double>(sum.lo), static_cast<double>(exp(log_count(coarse, 2, y)).lo), 1e-15);
  }
}

// The formulas are those of the dice that production uses.
class DiceLaw : public ::testing::Test {
 protected:
  StreamLabel next() { return {root_path(0), call_++, 1}; }
  StreamDice dice_{test_key("likelihood_test")};
  std::uint32_t call_ = 0;
};

TEST_F(DiceLaw, Counts) {
  for (std::size_t batch : {std::size_t{100}, StreamDice::kTableBatch}) {
    const Rate rate{3, 10};
    std::vector<std::uint64_t> seen(61, 0);
    std::vector<long double> probability(61, 0);
    for (std::int64_t y = -30; y <= 30; ++y) probability[y + 30] = exp(log_count(rate, 0, y)).lo;
    probability[0] += laplace_tail(0.3L, 31) / 2;
    probability[60] += laplace_tail(0.3L, 31) / 2;
    const std::vector<std::int64_t> truth(batch, 17);
    std::vector<std::int64_t> released(batch);
    for (int i = 0; i < 200; ++i) {
      dice_.count(next(), rate, truth, released);
      for (std::int64_t y : released) ++seen[static_cast<std::size_t>(std::clamp<std::int64_t>(y - 17, -30, 30) + 30)];
    }
    EXPECT_GT(chi_square(seen, probability).p_value, kFalseAlarm);
  }
}

TEST_F(DiceLaw, Choices) {
  const std::vector<std::uint64_t> penalties = {4, 0, 9, 2, 2};
  std::vector<std::uint64_t> seen(5, 0);
  std::vector<long double> probability;
  for (std::size_t i = 0; i < 5; ++i) probability.push_back(exp(log_choice(penalties, 1, 5, i)).lo);
  for (int i = 0; i < 20000; ++i) ++seen[dice_.choose(next(), penalties, 1, 5)];
  EXPECT_GT(chi_square(seen, probability).p_value, kFalseAlarm);
}

TEST_F(DiceLaw, GrowAndGradual) {
  const Rate fine{5, 10}, coarse{2, 10};
  const std::vector<std::int64_t> truth(100, 2);
  std::vector<std::int64_t> hidden(100), released(100);
  bool split[100];
  std::uint64_t grown = 0;
  std::vector<std::uint64_t> seen(21 * 21, 0);
  std::vector<long double> probability(21 * 21, 0);
  for (std::int64_t h = -120; h <= 120; ++h) {
    for (std::int64_t y = -120; y <= 120; ++y) {
      const auto cell = [](std::int64_t v) { return std::clamp<std::int64_t>(v, -10, 10) + 10; };
      probability[static_cast<std::size_t>(cell(h) * 21 + cell(y))] += exp(log_gradual(fine, coarse, 2, h, y)).lo;
    }
  }
  for (int i = 0; i < 300; ++i) {
    dice_.grow(next(), coarse, truth, split);
    grown += static_cast<std::uint64_t>(std::count(split, split + 100, true));
    dice_.gradual(next(), fine, coarse, truth, hidden, released);
    for (std::size_t j = 0; j < 100; ++j) {
      const auto cell = [](std::int64_t v) { return std::clamp<std::int64_t>(v, -10, 10) + 10; };
      ++seen[static_cast<std::size_t>(cell(hidden[j]) * 21 + cell(released[j]))];
    }
  }
  EXPECT_GT(binomial_p_value(grown, 30000, exp(log_grow(coarse, 2, true)).lo), kFalseAlarm);
  EXPECT_GT(chi_square(seen, probability).p_value, kFalseAlarm);
}

}  // namespace
}  // namespace stopover
