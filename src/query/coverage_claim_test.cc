#include "query/coverage_claim.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

// As much of a release as a claim looks at: `stops` maps of two axes each and `more` axes without one.
Release release_of(std::size_t stops, double trips, Ticks spent, std::size_t more = 0) {
  Release release;
  release.domain = *Domain::of_shape(std::vector<std::uint64_t>(2 * stops + more, 100));
  release.spent = spent;
  release.calibration.emplace();
  release.tables.resize(stops == 1 ? 1 : 1 + stops);
  release.tables[0].estimate = {trips};
  return release;
}

TEST(CoverageClaim, IsMadeWhereItWasMeasured) {
  EXPECT_TRUE(coverage_claim(release_of(1, 260'000, 100'000'000)).made);
  EXPECT_TRUE(coverage_claim(release_of(2, 100'000, 500'000'000)).made);
}

TEST(CoverageClaim, IsNotMadeElsewhere) {
  EXPECT_EQ(coverage_claim(release_of(3, 1e6, 1'000'000'000)).why_not, "three stops or more");
  EXPECT_EQ(coverage_claim(release_of(2, 79'000, 500'000'000)).why_not, "too few trips for this epsilon");
  EXPECT_EQ(coverage_claim(release_of(1, 240'000, 100'000'000)).why_not, "too few trips for this epsilon");
  EXPECT_EQ(coverage_claim(release_of(2, 1e6, 500'000'000, 1)).why_not, "axes other than places");
  Release by_hour = release_of(1, 1e6, 500'000'000);
  std::vector<Axis> axes(by_hour.domain.axes().begin(), by_hour.domain.axes().end());
  axes[1].kind = AxisKind::time;
  by_hour.domain = *Domain::make(axes, {});
  EXPECT_EQ(coverage_claim(by_hour).why_not, "axes other than places");
  Release without = release_of(2, 1e6, 500'000'000);
  without.calibration.reset();
  EXPECT_FALSE(coverage_claim(without).made);
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
