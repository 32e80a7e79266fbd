#include "query/placement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "query/answerer.h"
#include "query/synthetic_release.h"

namespace stopover {
namespace {

TEST(PlacementTest, SumsOverCutLeaves) {
  Placement p;
  p.add_inside(100, 8);
  p.add_cut(0.25, 12, 10, 2);
  p.add_cut(0.5, 20, 22, 3);
  EXPECT_DOUBLE_EQ(p.inside, 100);
  EXPECT_DOUBLE_EQ(p.cut, 32);
  EXPECT_DOUBLE_EQ(p.cut_variance, 5);
  EXPECT_DOUBLE_EQ(p.spread, 12 * 0.1875 + 20 * 0.25);
  EXPECT_DOUBLE_EQ(p.clump, 144 * 0.1875 + 400 * 0.25);
}

TEST(PlacementTest, LeavesOfOneRunCountAsEqualOnes) {
  Placement run, single;
  run.add_cut(0.3, 40, 44, 8, 4);
  for (int i = 0; i < 4; ++i) single.add_cut(0.3, 10, 11, 2);
  EXPECT_NEAR(run.spread, single.spread, 1e-12);
  EXPECT_NEAR(run.clump, single.clump, 1e-12);
  EXPECT_NEAR(run.cut, single.cut, 1e-12);
}

TEST(PlacementTest, BoundsAreNobodyOrEverybody) {
  Placement p;
  p.add_inside(100, 0);
  p.add_cut(0.25, 12, 12, 0);
  const PlacementBounds exact = placement_bounds(p, noise_reach(0.95));
  EXPECT_DOUBLE_EQ(exact.lower, 100);
  EXPECT_DOUBLE_EQ(exact.upper, 112);
  p.inside_variance = 1e6;
  EXPECT_EQ(placement_bounds(p, 2).lower, 0);
  EXPECT_DOUBLE_EQ(placement_bounds(p, 2).upper, 112 + 2000.5);
}

// Sums of 1 to 50 Laplace variables, 20,000 draws each. A sound reach fails this with a chance below 1e-6 a line.
TEST(PlacementTest, NoiseReachHoldsForFewAndManyTerms) {
  std::mt19937_64 random(5);
  std::exponential_distribution<double> exponential(1);
  for (const double level : {0.5, 0.8, 0.95, 0.99}) {
    const double reach = noise_reach(level);
    for (const int terms : {1, 2, 5, 50}) {
      int held = 0;
      for (int draw = 0; draw < 20'000; ++draw) {
        double sum = 0;
        for (int i = 0; i < terms; ++i) sum += exponential(random) - exponential(random);
        held += std::fabs(sum) <= reach * std::sqrt(2.0 * terms);
      }
      EXPECT_GE(held / 20'000.0, level - 5 * std::sqrt(level * (1 - level) / 20'000)) << level << " " << terms;
    }
  }
}

TEST(PlacementTest, AnyLeafIsInsideOrCut) {
  Placement apart, any;
  apart.add_cut(0.3, 40, 38, 2);
  apart.add_inside(7, 1.5);
  apart.add_cut(0.8, 5, 6, 0.5);
  any.add_any(0.3, true, 40, 38, 2);
  any.add_any(1, false, 9, 7, 1.5);
  any.add_any(0.8, true, 5, 6, 0.5);
  EXPECT_DOUBLE_EQ(any.inside, apart.inside);
  EXPECT_DOUBLE_EQ(any.inside_variance, apart.inside_variance);
  EXPECT_DOUBLE_EQ(any.cut, apart.cut);
  EXPECT_DOUBLE_EQ(any.cut_variance, apart.cut_variance);
  EXPECT_DOUBLE_EQ(any.spread, apart.spread);
  EXPECT_DOUBLE_EQ(any.clump, apart.clump);
}

// Whatever the partition and the box: bounds hold the estimate and the noise-free answer of any placement, and lower
// and upper stay inside them.
TEST(PlacementTest, AnswersKeepTheirOrder) {
  std::mt19937_64 random(7);
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Release release = synthetic::any(1 + seed % 4, seed, 80);
    const Result<BoxIndex> index = BoxIndex::make(release);
    ASSERT_TRUE(index);
    for (const Estimates estimates : {Estimates::consistent, Estimates::plain}) {
      Answerer ask(*index, {.estimates = estimates});
      for (int i = 0; i < 50; ++i) {
        const Answer a = ask(synthetic::some_box(release.domain, random, i % 2 == 0));
        EXPECT_GE(a.bounds_lower, 0);
        EXPECT_LE(a.bounds_lower, a.lower);
        EXPECT_LE(a.lower, std::max(0.0, a.estimate));
        EXPECT_LE(a.estimate, a.upper);
        EXPECT_LE(a.upper, a.bounds_upper);
        EXPECT_FALSE(a.calibrated);
        EXPECT_TRUE(!a.aligned || a.noise_upper <= a.bounds_upper);
      }
    }
  }
}

}  // namespace
}  // namespace stopover
