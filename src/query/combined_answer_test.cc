#include "query/combined_answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "query/pair_answer.h"

namespace stopover {
namespace {

Answer count_of(double estimate, double down, double up) {
  Answer a;
  a.estimate = a.unprojected = estimate;
  a.noise_variance = 16;
  a.noise_lower = estimate - 8;
  a.noise_upper = estimate + 8;
  a.lower = estimate - down;
  a.upper = estimate + up;
  a.calibrated = true;
  a.level = 0.95;
  a.partitions_cut = 3;
  a.aligned = false;
  // What bounds are made of: all of a cut leaf of 200 trips, or nobody.
  a.placement.inside = estimate - 100;
  a.placement.inside_variance = 8;
  a.placement.cut = 200;
  a.placement.cut_variance = 8;
  a.bounds_lower = estimate - 110;
  a.bounds_upper = estimate + 110;
  return a;
}

TEST(CombinedAnswer, TwoWithOppositeSignsAreADifference) {
  const Answer both[] = {count_of(500, 30, 40), count_of(300, 20, 10)};
  const std::vector<double> signs = {1, -1};
  AnswerOptions options;
  options.in_common = kCommonOfTwo;
  const Answer sum = combined_answer(both, signs, options), difference = quick_difference(both[0], both[1], options);
  EXPECT_EQ(sum.estimate, difference.estimate);
  EXPECT_DOUBLE_EQ(sum.lower, difference.lower);
  EXPECT_DOUBLE_EQ(sum.upper, difference.upper);
  EXPECT_EQ(sum.noise_lower, difference.noise_lower);
  EXPECT_EQ(sum.noise_upper, difference.noise_upper);
  EXPECT_EQ(sum.bounds_lower, difference.bounds_lower);
  EXPECT_EQ(sum.bounds_upper, difference.bounds_upper);
  EXPECT_EQ(sum.partitions_cut, 6u);
  EXPECT_FALSE(sum.aligned);
}

// Beyond noise, what is off in two periods cancels in part; noise never does.
TEST(CombinedAnswer, ADifferenceOfTwoIsSurerThanARightAngle) {
  const std::vector<double> signs = {1, -1};
  const Answer cut[] = {count_of(500, 40, 40), count_of(500, 40, 40)};
  const double half = combined_answer(cut, signs, {}).upper;
  EXPECT_LT(half, 0.75 * std::hypot(40, 40));
  EXPECT_GT(half, std::hypot(8, 8));
  EXPECT_EQ(combined_answer(cut, signs, {}, Leaning::all_stops).upper, half);
  const Answer noisy[] = {count_of(500, 8, 8), count_of(500, 8, 8)};
  EXPECT_DOUBLE_EQ(combined_answer(noisy, signs, {}).upper, std::hypot(8, 8));
}

TEST(CombinedAnswer, HalfWidthsAreSidesOfRightAngles) {
  const std::vector<Answer> four(4, count_of(500, 8, 8));  // noise alone
  const Answer sum = combined_answer(four, std::vector<double>(4, 1), {});
  EXPECT_EQ(sum.estimate, 2000);
  EXPECT_DOUBLE_EQ(sum.lower, 2000 - 16);
  EXPECT_DOUBLE_EQ(sum.upper, 2000 + 16);
  EXPECT_DOUBLE_EQ(sum.noise_variance, 64);
}

TEST(CombinedAnswer, WhatIsBeyondNoiseIsInCommonALittle) {
  const std::vector<Answer> four(4, count_of(500, 10, 17));
  const Answer sum = combined_answer(four, std::vector<double>(4, 1), {});
  // 10^2 is 6^2 beyond the noise of 8, 17^2 is 15^2; of twelve pairs a tenth.
  EXPECT_DOUBLE_EQ(sum.lower, 2000 - std::sqrt(4 * 100 + 0.1 * 12 * 36));
  EXPECT_DOUBLE_EQ(sum.upper, 2000 + std::sqrt(4 * 289 + 0.1 * 12 * 225));
  // What is taken away is too high: the ends change places.
  const Answer turned = combined_answer(four, std::vector<double>(4, -0.5), {});
  EXPECT_DOUBLE_EQ(turned.lower, -1000 - (sum.upper - 2000) / 2);
  EXPECT_DOUBLE_EQ(turned.upper, -1000 + (2000 - sum.lower) / 2);
  // A slope: what is common cancels, and the interval is no shorter for it.
  const Answer slope = combined_answer(four, std::vector<double>{-0.3, -0.1, 0.1, 0.3}, {});
  EXPECT_NEAR(slope.upper - slope.estimate, std::sqrt(0.2 * (100 + 289) / 2), 1e-9);
}

// Releases that lean on each other: in a sum noise is in common too, and in a slope what is beyond it cancels in part.
TEST(CombinedAnswer, LeaningReleasesHaveMoreInCommon) {
  const std::vector<Answer> four(4, count_of(500, 10, 17));
  const std::vector<double> ones(4, 1), line = {-0.5, 0, 0.5};
  const Answer sum = combined_answer(four, ones, {}, Leaning::all_stops);
  EXPECT_DOUBLE_EQ(sum.lower, 2000 - std::sqrt((4 + 0.2 * 12) * 100));
  EXPECT_DOUBLE_EQ(sum.upper, 2000 + std::sqrt((4 + 0.2 * 12) * 289));
  const Answer open = combined_answer(four, ones, {}, Leaning::open_stop);
  EXPECT_DOUBLE_EQ(open.upper, 2000 + std::sqrt((4 + 0.35 * 12) * 289));
  const std::vector<Answer> three(3, count_of(500, 17, 17)), noisy(3, count_of(500, 8, 8));
  const Answer slope = combined_answer(three, line, {}, Leaning::all_stops);
  // 17^2 is 15^2 beyond the noise of 8; of the two that count a half cancels.
  EXPECT_DOUBLE_EQ(slope.upper, std::sqrt(0.5 * 289 - 0.5 * 0.5 * 225));
  EXPECT_DOUBLE_EQ(slope.lower, -slope.upper);
  EXPECT_DOUBLE_EQ(combined_answer(three, line, {}).upper, std::sqrt(0.5 * 289)) << "alone, nobody counts on it";
  EXPECT_DOUBLE_EQ(combined_answer(noisy, line, {}, Leaning::open_stop).upper, std::sqrt(0.5 * 64))
      << "noise cancels nowhere";
}

TEST(CombinedAnswer, LeaningReleasesAreClaimedWhereMeasured) {
  const auto claimed = [](std::size_t periods, Leaning leaning) {
    const std::vector<Answer> months(periods, count_of(500, 10, 17));
    return combined_answer(months, std::vector<double>(periods, 1), {}, leaning).claimed;
  };
  EXPECT_TRUE(claimed(12, Leaning::all_stops));
  EXPECT_FALSE(claimed(13, Leaning::all_stops));
  EXPECT_FALSE(claimed(3, Leaning::open_stop));
  EXPECT_TRUE(claimed(13, Leaning::none));
}

TEST(CombinedAnswer, IsClaimedWhereAllAre) {
  std::vector<Answer> two(2, count_of(500, 30, 40));
  EXPECT_TRUE(combined_answer(two, std::vector<double>(2, 1), {}).claimed);
  two[1].claimed = false;
  EXPECT_FALSE(combined_answer(two, std::vector<double>(2, 1), {}).claimed);
  two[1].calibrated = false;  // bounds, and these hold
  const Answer sum = combined_answer(two, std::vector<double>(2, 1), {});
  EXPECT_TRUE(sum.claimed);
  EXPECT_EQ(sum.lower, sum.bounds_lower);
}

}  // namespace
}  // namespace stopover
