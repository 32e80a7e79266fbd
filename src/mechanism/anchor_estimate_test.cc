#include "mechanism/anchor_estimate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stopover {
namespace {

// The base expects all trips in the first two parts; most are in the first and the last. The third holds 2.2 standard
// deviations of its noise, which the base does not foresee.
Table refuted() {
  Table table;
  table.axes = {0};
  table.lo.resize(1);
  table.hi.resize(1);
  constexpr Ticks kTicks = 100'000'000;  // deviation 14.1 at k = 1
  const auto box = [](std::uint32_t lo, std::uint32_t hi) { return Box(std::vector<Interval>{{lo, hi}}); };
  table.append(box(0, 4), -1, 1000, kTicks, 0);
  const std::int64_t counts[4] = {450, 40, 31, 479};
  for (std::uint32_t i = 0; i < 4; ++i) table.append(box(i, i + 1), 0, counts[i], kTicks, 0);
  return table;
}

TEST(AnchorEstimate, WithBordersLessIsAskedOfAPart) {
  const std::vector<double> mu = {1, 0.5, 0.498, 0.001, 0.001};
  const std::vector<bool> followed(5, false);
  Table without = refuted(), with = refuted(), three = refuted();
  estimate_over_base(without, {mu, followed}, 1e-9, 2);
  estimate_over_base(with, {mu, followed, true}, 1e-9, 2);
  estimate_over_base(three, {mu, followed}, 1e-9, 3);
  EXPECT_EQ(without.estimate[3], 0);
  EXPECT_GT(with.estimate[3], 20);
  EXPECT_DOUBLE_EQ(with.estimate[3], three.estimate[3]);
  for (const Table& table : {without, with, three}) {
    EXPECT_NEAR(table.estimate[1] + table.estimate[2] + table.estimate[3] + table.estimate[4], table.estimate[0], 1e-9);
  }
}

// The first of two parts was followed because 300 were counted in it; its own parts have 100. A part of a part keeps
// its say.
TEST(AnchorEstimate, WithThreeMapsACountThatWasFollowedIsLeftOut) {
  Table table;
  table.axes = {0};
  table.lo.resize(1);
  table.hi.resize(1);
  constexpr Ticks kTicks = 100'000'000;
  const auto add = [&](std::uint32_t lo, std::uint32_t hi, std::int32_t parent, std::int64_t count) {
    table.append(Box(std::vector<Interval>{{lo, hi}}), parent, count, kTicks, 0);
  };
  add(0, 16, -1, 1000);
  add(0, 8, 0, 300);
  add(8, 16, 0, 900);
  add(0, 4, 1, 100);
  add(4, 8, 1, 0);
  const std::vector<double> mu = {1, 0.1, 0.9, 0.05, 0.05};
  Table two = table, three = table;
  estimate_over_base(two, {mu, {false, true, false, false, false}}, 1e-9, 2);
  estimate_over_base(three, {mu, {false, true, false, false, false}}, 1e-9, 3);
  EXPECT_GT(two.estimate[1], 140);
  EXPECT_NEAR(three.estimate[1], 100, 10);
  table.count[3] = 300;
  add(0, 2, 3, 50);
  add(2, 4, 3, 50);
  const std::vector<double> finer = {1, 0.1, 0.9, 0.05, 0.05, 0.025, 0.025};
  estimate_over_base(table, {finer, {false, true, false, true, false, false, false}}, 1e-9, 3);
  EXPECT_GT(table.estimate[3], 130);
}

}  // namespace
}  // namespace stopover
