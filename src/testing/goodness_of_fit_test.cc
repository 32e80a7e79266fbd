#include "testing/goodness_of_fit.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace stopover {
namespace {

// Closed forms: erfc(sqrt(x/2)) at 1 degree, that + sqrt(2x/pi) exp(-x/2) at 3.
TEST(GoodnessOfFit, PValuesOfKnownStatistics) {
  const std::array<long double, 2> half{0.5L, 0.5L};
  const std::array<std::uint64_t, 2> sample{5'098, 4'902};  // (98/50)^2 = 3.8416
  const ChiSquare fit = chi_square(sample, half);
  EXPECT_EQ(fit.degrees, 1);
  EXPECT_NEAR(static_cast<double>(fit.statistic), 3.8416, 1e-12);
  EXPECT_NEAR(static_cast<double>(fit.p_value), std::erfc(std::sqrt(3.8416 / 2)), 1e-12);
  const std::array<std::uint64_t, 2> skewed{5'306, 4'694};  // 37.4544
  EXPECT_NEAR(static_cast<double>(chi_square(skewed, half).p_value) / std::erfc(std::sqrt(37.4544 / 2)), 1, 1e-9);
  const std::array<std::uint64_t, 4> dice{130, 100, 90, 80};
  const std::array<long double, 4> quarters{0.25L, 0.25L, 0.25L, 0.25L};  // 14 at 3 degrees
  EXPECT_NEAR(static_cast<double>(chi_square(dice, quarters).p_value),
              std::erfc(std::sqrt(7)) + std::sqrt(28 / std::numbers::pi) * std::exp(-7), 1e-12);
}

TEST(GoodnessOfFit, PoolsRareValues) {
  const std::array<std::uint64_t, 4> sample{96, 4, 0, 0};
  const std::array<long double, 4> law{0.96L, 0.02L, 0.01L, 0.01L};
  EXPECT_EQ(chi_square(sample, law).degrees, 0);
  const std::array<std::uint64_t, 3> many{9'600, 300, 100};
  const std::array<long double, 3> law3{0.96L, 0.03L, 0.01L};
  EXPECT_EQ(chi_square(many, law3).degrees, 2);
}

TEST(GoodnessOfFit, TwoSamples) {
  const std::array<std::uint64_t, 2> a{100, 200}, b{200, 400}, c{150, 150};
  EXPECT_NEAR(static_cast<double>(chi_square_two_samples(a, b).statistic), 0, 1e-12);
  EXPECT_NEAR(static_cast<double>(chi_square_two_samples(a, c).statistic), 17.142857142857, 1e-9);
}

TEST(GoodnessOfFit, BinomialIsExact) {
  EXPECT_NEAR(static_cast<double>(binomial_p_value(8, 10, 0.5L)), 2 * 56 / 1024.0, 1e-12);
  EXPECT_NEAR(static_cast<double>(binomial_p_value(0, 10, 0.1L)), 2 * std::pow(0.9, 10), 1e-12);
  EXPECT_EQ(binomial_p_value(5, 10, 0.5L), 1);
  EXPECT_EQ(binomial_p_value(1, 10, 0), 0);
  EXPECT_EQ(binomial_p_value(10, 10, 1), 1);
}

TEST(GoodnessOfFit, LaplaceSumsToOne) {
  for (long double lambda : {0.01L, 1.0L, 5.0L}) {
    long double sum = laplace_pmf(lambda, 0);
    for (int x = 1; x < 50; ++x) sum += 2 * laplace_pmf(lambda, x);
    EXPECT_NEAR(static_cast<double>(sum + laplace_tail(lambda, 50)), 1, 1e-15);
  }
}

}  // namespace
}  // namespace stopover
