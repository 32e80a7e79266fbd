#include "query/contrast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stopover {
namespace {

// A count with a likely interval of that half width.
Answer count_of(double estimate, double half) {
  Answer a;
  a.estimate = a.unprojected = estimate;
  a.lower = std::max(0.0, estimate - half);
  a.upper = estimate + half;
  a.calibrated = true;
  a.bounds_lower = 0;
  a.bounds_upper = estimate + 10 * half + 1;
  a.level = 0.95;
  return a;
}

TEST(Contrast, HalfWidthsAddAsRightAngles) {
  const ContrastPart parts[] = {{1, count_of(100, 30), 0.975}, {-1, count_of(80, 40), 0.975}};
  const Contrast d = contrast(parts);
  EXPECT_DOUBLE_EQ(d.estimate, 20);
  EXPECT_DOUBLE_EQ(d.lower, -30);
  EXPECT_DOUBLE_EQ(d.upper, 70);
  // Bounds do not: they hold whatever the data.
  EXPECT_DOUBLE_EQ(d.bounds_lower, -481);
  EXPECT_DOUBLE_EQ(d.bounds_upper, 401);
}

TEST(Contrast, SidesAreAddedByThemselves) {
  Answer skewed = count_of(100, 10);
  skewed.upper = 140;
  const ContrastPart parts[] = {{1, skewed, 0.975}, {-1, count_of(0, 0), 0.975}};
  EXPECT_DOUBLE_EQ(contrast(parts).upper, 140);
  EXPECT_DOUBLE_EQ(contrast(parts).lower, 90);
  const ContrastPart turned[] = {{-1, skewed, 0.975}};
  EXPECT_DOUBLE_EQ(contrast(turned).lower, -140);
}

TEST(Contrast, WithoutLikelyIntervalsItHasBounds) {
  Answer only_bounds = count_of(50, 5);
  only_bounds.calibrated = false;
  const ContrastPart parts[] = {{1, only_bounds, 0.975}, {-1, count_of(20, 5), 0.975}};
  const Contrast d = contrast(parts);
  EXPECT_FALSE(d.calibrated);
  EXPECT_EQ(d.lower, d.bounds_lower);
  EXPECT_EQ(d.upper, d.bounds_upper);
}

// Of normal errors, as often as the parts' own intervals hold: shares of disjoint counts, and of those that overlap.
TEST(Contrast, SharesOfNormalErrorsHold) {
  std::mt19937_64 numbers(11);
  std::normal_distribution<double> normal;
  const double a = 400, b = 250, c = 150, sd = 40, z = 1.96;
  int held = 0, held_common = 0;
  const int rounds = 4000;
  for (int i = 0; i < rounds; ++i) {
    const auto seen = [&](double truth) {
      return ContrastPart(1, count_of(truth + sd * normal(numbers), z * sd), 0.98);
    };
    const ContrastPart at_a = seen(a), at_b = seen(b), at_c = seen(c);
    const ShareRange share = share_range(at_a, at_b), common = share_range(at_a, at_b, at_c);
    EXPECT_LE(share.bounds_lower, share.lower);
    EXPECT_LE(share.lower, share.upper);
    EXPECT_LE(share.upper, share.bounds_upper);
    held += share.lower <= a / (a + b) && a / (a + b) <= share.upper;
    const double p = (a + c) / (a + b + 2 * c);
    held_common += common.lower <= p && p <= common.upper;
  }
  EXPECT_NEAR(100.0 * held / rounds, 95, 1.2);
  EXPECT_NEAR(100.0 * held_common / rounds, 95, 1.2);
}

TEST(Contrast, ShareOfNobodyIsOpen) {
  const ContrastPart none(1, Answer{}, 0.975), some(1, count_of(30, 10), 0.975);
  const ShareRange all = share_range(some, none), nothing = share_range(none, some), open = share_range(none, none);
  EXPECT_EQ(all.upper, 1);
  EXPECT_EQ(nothing.lower, 0);
  EXPECT_EQ(nothing.upper, 0);
  EXPECT_EQ(open.lower, 0);
  EXPECT_EQ(open.upper, 1);
}

}  // namespace
}  // namespace stopover
