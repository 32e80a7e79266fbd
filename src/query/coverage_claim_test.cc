#include "query/coverage_claim.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

// As much of a release as a claim looks at: `stops` maps of two axes each and `more` axes without one.
Release release_of(std::size_t stops, double trips, Ticks spent, std::size_t more = 0) {
  Release release;
  release.domain = *Domain::of_shape(std::vector<std::uint64_t>(2 * stops + more, 100));
  release.spent = spent;
  if (stops == 1) {
    release.calibration.emplace();
  } else {
    release.probes.emplace().ticks = spent / 20;
  }
  release.tables.resize(stops == 1 ? 1 : 1 + stops);
  release.tables[0].estimate = {trips};
  return release;
}

TEST(CoverageClaim, IsMadeWhereItWasMeasured) {
  EXPECT_TRUE(coverage_claim(release_of(1, 260'000, 100'000'000)).made);
  EXPECT_TRUE(coverage_claim(release_of(2, 100'000, 500'000'000)).made);
  EXPECT_TRUE(coverage_claim(release_of(3, 100'000, 500'000'000)).made);
  EXPECT_TRUE(coverage_claim(release_of(2, 60'000, 500'000'000)).made);
  EXPECT_TRUE(coverage_claim(release_of(3, 41'000, 500'000'000)).made);
}

TEST(CoverageClaim, IsNotMadeElsewhere) {
  EXPECT_EQ(coverage_claim(release_of(4, 1e6, 1'000'000'000)).why_not, "four stops or more");
  EXPECT_EQ(coverage_claim(release_of(2, 39'000, 500'000'000)).why_not, "too few trips for this epsilon");
  EXPECT_EQ(coverage_claim(release_of(3, 39'000, 500'000'000)).why_not, "too few trips for this epsilon");
  EXPECT_EQ(coverage_claim(release_of(1, 240'000, 100'000'000)).why_not, "too few trips for this epsilon");
  EXPECT_EQ(coverage_claim(release_of(2, 1e6, 500'000'000, 1)).why_not, "axes other than places");
  Release by_hour = release_of(1, 1e6, 500'000'000);
  std::vector<Axis> axes(by_hour.domain.axes().begin(), by_hour.domain.axes().end());
  axes[1].kind = AxisKind::time;
  by_hour.domain = *Domain::make(axes, {});
  EXPECT_EQ(coverage_claim(by_hour).why_not, "axes other than places");
  Release without = release_of(2, 1e6, 500'000'000);
  without.probes.reset();
  EXPECT_FALSE(coverage_claim(without).made);
  without.calibration.emplace();
  EXPECT_EQ(coverage_claim(without).why_not, "two stops or more, and no probes");
}

// Margins ask for it, whether anything is claimed or not.
TEST(CoverageClaim, KnowsTripsTimesEpsilonWithoutAClaim) {
  EXPECT_NEAR(coverage_claim(release_of(3, 10'000, 1'000'000'000)).strength, 500, 1e-9);
  EXPECT_NEAR(coverage_claim(release_of(4, 1e6, 1'000'000'000)).strength, 50'000, 1e-6);
  EXPECT_NEAR(coverage_claim(release_of(2, 1e6, 1'000'000'000, 1)).strength, 50'000, 1e-6);
}

TEST(CoverageClaim, IsNotMadeWhereProbesAreOfAnotherScale) {
  for (const std::uint32_t scale : {0u, Probes::kScale - 1, Probes::kScale + 1}) {
    Release other = release_of(2, 1e6, 500'000'000);
    other.probes->scale = scale;
    EXPECT_FALSE(coverage_claim(other).made);
    EXPECT_EQ(coverage_claim(other).why_not, "its probes are of a scale that this version does not read");
    EXPECT_FALSE(coverage_claim(other).ends_hold());
  }
}

TEST(CoverageClaim, OneEndByItselfWantsMoreTrips) {
  EXPECT_FALSE(coverage_claim(release_of(2, 199'000, 500'000'000)).ends_hold());
  EXPECT_TRUE(coverage_claim(release_of(2, 201'000, 500'000'000)).ends_hold());
  EXPECT_TRUE(coverage_claim(release_of(1, 260'000, 100'000'000)).ends_hold());
  EXPECT_FALSE(coverage_claim(release_of(1, 240'000, 100'000'000)).ends_hold());
}

// Kinds of questions that were measured, and not held often enough.
TEST(CoverageClaim, DependsOnWhatIsAsked) {
  const CoverageClaim claim = coverage_claim(release_of(3, 1e6, 500'000'000));
  for (const std::size_t free_stops : {0, 1, 2}) {
    EXPECT_EQ(claim.unclaimed({free_stops, 0.01, false}), "");
    EXPECT_EQ(claim.unclaimed({free_stops, 0.01, true}), "");
    EXPECT_EQ(claim.unclaimed({free_stops, 1e-5, false}), "");
  }
  EXPECT_EQ(claim.unclaimed({3, 1, false}), "") << "all trips";
  for (const std::size_t stops : {2, 3}) {
    const CoverageClaim few = coverage_claim(release_of(stops, 99'000, 500'000'000));
    EXPECT_EQ(few.unclaimed({0, 0.01, true}), "");
    EXPECT_EQ(few.unclaimed({1, 0.01, false}), "");
    EXPECT_EQ(few.unclaimed({0, 1e-5, false}), "a very small place");
  }
  EXPECT_EQ(coverage_claim(release_of(1, 1e6, 500'000'000)).unclaimed({0, 1e-6, true}), "");
  EXPECT_EQ(coverage_claim(release_of(1, 210'000, 500'000'000)).unclaimed({0, 1e-6, true}), "");
  const CoverageClaim few_of_one = coverage_claim(release_of(1, 190'000, 500'000'000));
  EXPECT_EQ(few_of_one.unclaimed({0, 1e-6, false}), "a very small place");
  EXPECT_EQ(few_of_one.unclaimed({0, 0.01, true}), "");
  EXPECT_EQ(few_of_one.unclaimed({1, 1, false}), "") << "all trips";
  EXPECT_NE(coverage_claim(release_of(4, 1e6, 500'000'000)).unclaimed({0, 1, false}), "");
}

// A user of four trips is hidden by noise four times as large.
TEST(CoverageClaim, CountsEpsilonByTheTrip) {
  Release release = release_of(2, 100'000, 500'000'000);
  release.k = 4;
  EXPECT_FALSE(coverage_claim(release).made);
}

TEST(CoverageClaim, HoldsAtMeasuredLevels) {
  const CoverageClaim claim = coverage_claim(release_of(2, 1e6, 500'000'000));
  EXPECT_TRUE(claim.holds_at(0.95));
  EXPECT_FALSE(claim.holds_at(0.5));
  EXPECT_FALSE(claim.holds_at(0.999));
  EXPECT_FALSE(CoverageClaim{}.holds_at(0.95));
}

}  // namespace
}  // namespace stopover
