// Every p-value here is compared with kFalseAlarm = 1e-9; keys are fixed.
#include "privacy/bernoulli.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "testing/goodness_of_fit.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

constexpr u128 kUnit = 1;

long double to_real(u128 x) {
  return std::ldexp(static_cast<long double>(static_cast<std::uint64_t>(x >> 64)), 64) +
         static_cast<long double>(static_cast<std::uint64_t>(x));
}

TEST(UniformBelow, EveryValueOfASmallRange) {
  Stream stream(test_key("uniform small"), {});
  for (std::uint64_t n : {1, 2, 3, 5, 6, 7, 100, 255, 256, 257}) {
    std::vector<std::uint64_t> seen(n);
    for (int i = 0; i < 200'000; ++i) ++seen.at(static_cast<std::size_t>(uniform_below(stream, n)));
    const std::vector<long double> law(n, 1.0L / static_cast<long double>(n));
    EXPECT_GT(chi_square(seen, law).p_value, kFalseAlarm) << n;
  }
}

// Sizes where a missing rejection would show: 3/4 of a power of two (twice as many multiples of 3), one more than a
// power, all of 64 and 128 bits.
TEST(UniformBelow, TwelfthsAndRemaindersOfALargeRange) {
  Stream stream(test_key("uniform large"), {});
  for (u128 n : {u128{3} << 62, (kUnit << 63) + 1, kUnit << 64, (kUnit << 64) - 1, (kUnit << 64) + 1, u128{3} << 64,
                 u128{5} << 97, (kUnit << 127) + 1, u128{3} << 126, ~u128{0}}) {
    std::vector<std::uint64_t> seen(12), low(48);
    for (int i = 0; i < 60'000; ++i) {
      const u128 value = uniform_below(stream, n);
      ASSERT_LT(value, n);
      ++seen.at(static_cast<std::size_t>(value / (n / 12 + 1)));
      ++low[static_cast<std::size_t>(value % 48)];
    }
    EXPECT_GT(chi_square(seen, std::vector<long double>(12, 1 / 12.0L)).p_value, kFalseAlarm) << to_string(n);
    EXPECT_GT(chi_square(low, std::vector<long double>(48, 1 / 48.0L)).p_value, kFalseAlarm) << to_string(n);
  }
}

TEST(BernoulliExp, HitsItsProbability) {
  constexpr std::uint64_t kTrials = 1'000'000;
  Stream stream(test_key("bernoulli"), {});
  const struct {
    u128 num, den;
  } cases[] = {{0, 1},
               {0, kUnit << 100},
               {1, 1'000'000},
               {1, 10},
               {1, 3},
               {2, 3},
               {999'999'999, 1'000'000'000},
               {1, 1},
               {1'000'000'001, 1'000'000'000},
               {5, 2},
               {7, 1},
               {69, 5},
               {(kUnit << 100) / 3, (kUnit << 100) - 1},
               {(kUnit << 110) - 7, kUnit << 109},
               {(kUnit << 63) + 5, kUnit << 64},
               {~u128{0} / 3, ~u128{0}}};
  for (const auto& [num, den] : cases) {
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < kTrials; ++i) hits += bernoulli_exp(stream, num, den);
    const long double p = std::exp(-to_real(num) / to_real(den));
    EXPECT_GT(binomial_p_value(hits, kTrials, p), kFalseAlarm) << to_string(num) << "/" << to_string(den);
  }
}

TEST(BernoulliExp, HugeExponentsAreFalseAtOnce) {
  Stream stream(test_key("bernoulli huge"), {});
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(bernoulli_exp(stream, kUnit << 110, 1));
    EXPECT_FALSE(bernoulli_exp(stream, ~u128{0}, kUnit << 100));
  }
}

TEST(GeometricExp, EveryValue) {
  Stream stream(test_key("geometric"), {});
  for (std::uint64_t den : {1, 2, 3, 10, 50}) {
    const std::size_t range = 20 * den;
    std::vector<std::uint64_t> seen(range + 1);
    std::vector<long double> law(range + 1);
    const long double b = std::exp(-1.0L / static_cast<long double>(den));
    for (std::size_t g = 0; g < range; ++g) law[g] = (1 - b) * std::pow(b, static_cast<long double>(g));
    law[range] = std::pow(b, static_cast<long double>(range));
    for (int i = 0; i < 300'000; ++i) {
      ++seen[static_cast<std::size_t>(std::min<u128>(geometric_exp(stream, den), range))];
    }
    EXPECT_GT(chi_square(seen, law).p_value, kFalseAlarm) << den;
  }
}

TEST(BernoulliDeathTest, RefusesZeroDenominators) {
  Stream stream(test_key("bernoulli"), {});
  EXPECT_DEATH(uniform_below(stream, 0), "uniform draw from nothing");
  EXPECT_DEATH(bernoulli_exp(stream, 1, 0), "divided by zero");
}

}  // namespace
}  // namespace stopover
