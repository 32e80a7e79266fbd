#include "query/probed_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

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
  a.placement.clump = 49.5;
  return a;
}

TEST(ProbedInterval, ReadsClassesByTheirSignal) {
  const ProbedInterval interval(table(), 0.95, 1, 1e6);
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

// Far above zero: the last class, whose distances are 70 and 35 here, with stops left free 700 and 350.
TEST(ProbedInterval, MarginsDependOnStopsAndOnThoseLeftFree) {
  const auto reach = [](std::size_t stops, std::size_t free_stops, double strength = 5'000) {
    const PlacementBounds ends = ProbedInterval(table(), 0.95, stops, strength)(answer(6000), free_stops);
    return std::pair{ends.upper - 6000, 6000 - ends.lower};
  };
  EXPECT_NEAR(reach(2, 0).first, 1.15 * 70, 1e-6);
  EXPECT_NEAR(reach(2, 0).second, 1.15 * 35, 1e-6);
  EXPECT_NEAR(reach(2, 1).first, 700, 1e-6);
  EXPECT_NEAR(reach(2, 1).second, 1.4 * 350, 1e-6);
  EXPECT_NEAR(reach(3, 0).first, 1.4 * 70, 1e-6);
  EXPECT_NEAR(reach(3, 0).second, 35, 1e-6);
  EXPECT_NEAR(reach(3, 1).second, 0.9 * 350, 1e-6);
  // One stop of three: rather too full than too empty.
  EXPECT_NEAR(reach(3, 2).first, 0.8 * 700, 1e-6);
  EXPECT_NEAR(reach(3, 2).second, 2.2 * 350, 1e-6);
  EXPECT_EQ(reach(4, 3), reach(3, 2));
  // With few trips boxes at all of three stops hold still more.
  EXPECT_NEAR(reach(3, 0, 4'999).first, 1.15 * 1.4 * 70, 1e-6);
  EXPECT_NEAR(reach(3, 0, 4'999).second, 35, 1e-6);
  EXPECT_EQ(reach(3, 1, 4'999), reach(3, 1));
  EXPECT_EQ(reach(2, 0, 4'999), reach(2, 0));
}

// Of an estimate of 0, whose class is the first. Its margins above are 1.25 with two stops and 1.5 with three.
TEST(ProbedInterval, ShortLawsNearZeroAreTakenForShorter) {
  const auto above = [](std::size_t stops, double far, double level = 0.95, std::size_t free_stops = 0) {
    Probes probes = table();
    for (std::size_t at = 0; at < probes.above.size(); ++at) probes.above[at] = at % 2 == 0 ? far / 4 : far;
    return ProbedInterval(probes, level, stops, 1e6)(answer(0), free_stops).upper / 10;
  };
  // A law that is four times as long reaches four times as far where both are long; more where one of them is short.
  EXPECT_NEAR(above(3, 40) / above(3, 10), 4, 1e-6);
  EXPECT_NEAR(above(3, 1.5 * 4) / above(3, 1.5 * 1), 4 * std::pow(5.5 / 2.25, 0.75), 1e-6);
  EXPECT_NEAR(above(2, 8) / above(2, 1), 8 * std::pow(4 / 1.25, 0.35), 1e-6);
  EXPECT_NEAR(above(1, 8) / above(1, 1), 8, 1e-6);
  // By how far the law reaches, and not by the level that is asked for.
  EXPECT_NEAR(above(3, 1, 0.95) / above(3, 1, 0.8), above(3, 40, 0.95) / above(3, 40, 0.8), 1e-6);
  // Not where a stop is left free.
  EXPECT_NEAR(above(3, 8, 0.95, 1) / above(3, 1, 0.95, 1), 8, 1e-6);
}

// One side of a tenth of its map and more: up to 1.5 times as far below, where three stops and more are all asked for.
TEST(ProbedInterval, LargeBoxesAtAllOfThreeStopsMayHoldLess) {
  const auto ends = [](std::size_t stops, std::size_t free_stops, double most_share) {
    const PlacementBounds at = ProbedInterval(table(), 0.95, stops, 1e6)(answer(6000), free_stops, most_share);
    return std::pair(6000 - at.lower, at.upper - 6000);
  };
  const auto [below, above] = ends(3, 0, 0.04);
  EXPECT_EQ(ends(3, 0, 0.001), std::pair(below, above));
  EXPECT_NEAR(ends(3, 0, std::sqrt(0.04 * 0.1)).first, std::sqrt(1.5) * below, 1e-9 * below);
  EXPECT_NEAR(ends(3, 0, 0.1).first, 1.5 * below, 1e-9 * below);
  EXPECT_EQ(ends(3, 0, 0.1), ends(3, 0, 1));
  EXPECT_EQ(ends(3, 0, 1).second, above);
  EXPECT_EQ(ends(3, 1, 1), ends(3, 1, 0.01));
  EXPECT_EQ(ends(2, 0, 1), ends(2, 0, 0.01));
}

TEST(ProbedInterval, SpendsAllOfTheChanceAboveWhereItStartsAtZero) {
  const ProbedInterval interval(table(), 0.95, 1, 1e6);
  const PlacementBounds none = interval(answer(0), 0);
  EXPECT_EQ(none.lower, 0);
  // A tail of 5 %: between 0.25 and 0.025, in the logarithm of the probability.
  const double part = std::log(0.25 / 0.05) / std::log(10);
  EXPECT_NEAR(none.upper, 10 * (0.25 + part * 0.75), 1e-9);
  EXPECT_LT(none.upper, 10);
}

TEST(ProbedInterval, IsNeverNearerThanTheNoise) {
  const ProbedInterval interval(table(), 0.95, 1, 1e6);
  Probes close = table();
  for (double& far : close.above) far = 1e-6;
  for (double& far : close.below) far = 1e-6;
  Answer a = answer(500);
  a.noise_variance = 400;
  const PlacementBounds ends = ProbedInterval(close, 0.95, 1, 1e6)(a, 0);
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
  a.unprojected = 500 - std::sqrt(300);
  EXPECT_NEAR(probe_scale(a), 20, 1e-9);
  EXPECT_NEAR(probe_centre(a), 500 - 0.75 * std::sqrt(300), 1e-12);
}

}  // namespace
}  // namespace stopover
