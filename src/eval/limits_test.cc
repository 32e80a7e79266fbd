#include "eval/limits.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stopover {
namespace {

TEST(Limits, AreTheFormulas) {
  const Domain pairs = *Domain::of_shape({1000, 1000, 1000, 1000});
  EXPECT_EQ(cell_count(pairs), 1e12);
  EXPECT_NEAR(needle_limit(pairs, 0.5), 53.88, 0.01);
  EXPECT_NEAR(needle_limit(pairs, 0.1), 5 * needle_limit(pairs, 0.5), 1e-9);
  EXPECT_NEAR(needle_limit(*Domain::of_shape({1000, 1000}), 0.5), 26.24, 0.01);
  EXPECT_NEAR(ranges_floor(pairs, 0.5), 26.94, 0.01);
  EXPECT_EQ(needle_limit(*Domain::of_shape({1}), 0.5), 0);
  // A unit of k trips: T trips are T/k units.
  EXPECT_NEAR(needle_limit(pairs, 0.5, 3), 3 * needle_limit(pairs, 0.5), 1e-9);
  EXPECT_NEAR(count_floor(0.5, 3), 3 * count_floor(0.5), 1e-9);
}

// The mean of |x| under P(x) = (1 - a)/(1 + a) a^|x|, summed.
TEST(Limits, OneCountIsDiscreteLaplaceNoise) {
  for (const double epsilon : {0.1, 0.5, 2.0}) {
    const double a = std::exp(-epsilon);
    double mean = 0;
    for (int x = 1; x < 2000; ++x) mean += 2 * x * (1 - a) / (1 + a) * std::pow(a, x);
    EXPECT_NEAR(count_floor(epsilon), mean, 1e-6 * mean) << epsilon;
  }
}

}  // namespace
}  // namespace stopover
