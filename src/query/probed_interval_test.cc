#include "query/probed_interval.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stopover {
namespace {

// Distances of 1, 2, ... 7 above and half of that below, by class; of group 1 ten times as far.
Probes table() {
  Probes probes;
  probes.tails = {0.25, 0.025};
  for (std::size_t group = 0; group < Probes::kGroups; ++group) {
    for (std::size_t c = 0; c < Probes::kClasses; ++c) {
      const double far = (1.0 + static_cast<double>(c)) * (group == 0 ? 1 : 10);
      probes.above.insert(probes.above.end(), {far / 4, far});
      probes.below.insert(probes.below.end(), {far / 8, far / 2});
    }
  }
  return probes;
}

// A scale of 10, no noise.
Answer answer(double estimate) {
  Answer a;
  a.estimate = a.unprojected = estimate;
  a.placement.clump = 99;
  return a;
}

TEST(ProbedInterval, ReadsClassesByTheirSignal) {
  const ProbedInterval interval(table(), 0.95);
  EXPECT_DOUBLE_EQ(probe_scale(answer(1)), 10);
  // A signal of 60 and beyond is the last class, whose distances are 7 and 3.5 scales.
  EXPECT_NEAR(interval(answer(600), 0).upper, 600 + 70, 1e-9);
  EXPECT_NEAR(interval(answer(600), 0).lower, 600 - 35, 1e-9);
  EXPECT_NEAR(interval(answer(6000), 0).upper, 6000 + 70, 1e-9);
  EXPECT_NEAR(interval(answer(6000), 1).upper, 6000 + 700, 1e-6);
  // Between two classes in logarithms of both.
  const double signal = std::sqrt(17.0 * 60);
  EXPECT_NEAR(interval(answer(10 * signal), 0).upper, 10 * signal + 10 * std::sqrt(6.0 * 7), 1e-9);
}

TEST(ProbedInterval, SpendsAllOfTheChanceAboveWhereItStartsAtZero) {
  const ProbedInterval interval(table(), 0.95);
  const PlacementBounds none = interval(answer(0), 0);
  EXPECT_EQ(none.lower, 0);
  // A tail of 5 %: between 0.25 and 0.025, in the logarithm of the probability.
  const double part = std::log(0.25 / 0.05) / std::log(10);
  EXPECT_NEAR(none.upper, 10 * (0.25 + part * 0.75), 1e-9);
  EXPECT_LT(none.upper, 10);
}

TEST(ProbedInterval, IsNeverNearerThanTheNoise) {
  const ProbedInterval interval(table(), 0.95);
  Probes close = table();
  for (double& far : close.above) far = 1e-6;
  for (double& far : close.below) far = 1e-6;
  Answer a = answer(500);
  a.noise_variance = 400;
  const PlacementBounds ends = ProbedInterval(close, 0.95)(a, 0);
  EXPECT_NEAR(ends.upper, 500 + 1.96 * 20, 0.01);
  EXPECT_NEAR(ends.lower, 500 - 1.96 * 20, 0.01);
  EXPECT_GT(interval(a, 0).upper, ends.upper);
}

TEST(ProbedInterval, EdgesThatCutCellsWidenTheScale) {
  Answer a = answer(500);
  a.placement.edge = 150;
  EXPECT_DOUBLE_EQ(probe_scale(a), 20);
}

TEST(ProbedInterval, WhatProjectionMovedWidensTheScaleAndCountsLittle) {
  Answer a = answer(500);
  a.unprojected = 500 - std::sqrt(150);
  EXPECT_DOUBLE_EQ(probe_scale(a), 20);
  EXPECT_NEAR(probe_centre(a), 500 - 0.75 * std::sqrt(150), 1e-12);
}

}  // namespace
}  // namespace stopover
