#include "exports/plausible_trips.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "release/sample_release.h"
#include "testing/city_release.h"

namespace stopover {
namespace {

struct Moments {
  double mean = 0, variance = 0;
};

Moments moments(const std::vector<double>& values) {
  Moments m;
  for (const double v : values) m.mean += v / static_cast<double>(values.size());
  for (const double v : values) m.variance += (v - m.mean) * (v - m.mean) / static_cast<double>(values.size() - 1);
  return m;
}

// One root and four measured leaves of 1000 trips or none.
Release four_leaves() {
  Release release = sample::over(*Domain::of_shape({4}), kTicksPerEpsilon / 5);
  Table t = sample::table("joint", {0}, release.epsilon);
  t.append(sample::box({{0, 4}}), -1, 3000, release.epsilon / 2, 0);
  for (std::uint32_t i = 0; i < 4; ++i)
    t.append(sample::box({{i, i + 1}}), 0, i == 0 ? -40 : 1000, release.epsilon / 2, 0);
  release.tables.push_back(std::move(t));
  sample::settle(release);
  return release;
}

TEST(PlausibleTrips, SpreadsAsTheNoiseDoes) {
  const Release release = four_leaves();
  const PlausibleTrips plausible = *PlausibleTrips::make(release);
  const double noise = noise_variance(0.1);
  std::vector<std::vector<double>> leaves(4);
  std::vector<double> totals;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const std::vector<double> counts = plausible.draw_counts(7, i);
    for (std::size_t leaf = 0; leaf < 4; ++leaf) leaves[leaf].push_back(counts[leaf]);
    totals.push_back(std::accumulate(counts.begin(), counts.end(), 0.0));
  }
  // Standard errors: of a mean below 0.3, of a variance 2.5 %. Five of them: a fresh seed fails once in 100,000.
  for (std::size_t leaf = 1; leaf < 4; ++leaf) {
    const Moments m = moments(leaves[leaf]);
    EXPECT_NEAR(m.mean, plausible.model().estimate(leaf), 1.5);
    EXPECT_NEAR(m.variance / noise, 0.8, 0.15);  // least squares of five equal measurements: 4/5, a leaf of 0 aside
  }
  const Moments total = moments(totals);
  EXPECT_NEAR(total.mean, plausible.model().total(), 1.5);
  EXPECT_NEAR(total.variance / noise, 0.8, 0.12);  // the root's own count and four leaves' sum: 4/5
  for (const double value : leaves[0]) EXPECT_EQ(value, 0);
}

TEST(PlausibleTrips, TheTripsOfADrawAreItsCounts) {
  const Release release = sample::city_release(2, 20'000, 200, "daf-entropy");
  const PlausibleTrips plausible = *PlausibleTrips::make(release);
  EXPECT_FALSE(plausible.from_maps());
  const SyntheticTrips trips = plausible.draw(3, 1);
  const std::vector<double> counts = plausible.draw_counts(3, 1);
  EXPECT_NEAR(static_cast<double>(trips.rows()), std::accumulate(counts.begin(), counts.end(), 0.0),
              5 * std::sqrt(0.25 * static_cast<double>(counts.size())));
  for (std::size_t leaf = 0; leaf < counts.size(); leaf += 50) {
    double inside = 0;
    const Box& box = plausible.model().box(leaf);
    for (std::size_t i = 0; i < trips.rows(); ++i) {
      bool in = true;
      for (std::size_t a = 0; a < 4 && in; ++a) in = trips.cells[a][i] - box[a].lo < box[a].width();
      inside += in ? 1 : 0;
    }
    EXPECT_LE(std::abs(inside - counts[leaf]), 1);
  }
  EXPECT_EQ(plausible.draw(3, 1).cells, trips.cells);
  EXPECT_NE(plausible.draw(3, 2).cells, trips.cells);
  EXPECT_NE(plausible.draw(4, 1).cells, trips.cells);
}

TEST(PlausibleTrips, MapsAreDrawnAnew) {
  const Release release = sample::city_release(2, 20'000, 200, "anchor");
  const PlausibleTrips plausible = *PlausibleTrips::make(release);
  ASSERT_TRUE(plausible.from_maps());
  const SyntheticTrips one = plausible.draw(3, 1);
  EXPECT_EQ(plausible.draw(3, 1).cells, one.cells);
  EXPECT_NE(plausible.draw(3, 2).cells, one.cells);
  // About the release's answers: the west half of the map at the first stop, within a tenth of all trips.
  double west = 0, all = 0, expected = 0;
  for (std::uint64_t i = 0; i < 8; ++i) {
    const SyntheticTrips trips = plausible.draw(3, i);
    for (const std::uint32_t x : trips.cells[0]) west += x < 100 ? 0.125 : 0;
    all += static_cast<double>(trips.rows()) / 8;
  }
  const SyntheticTrips sample = *plausible.model().draw(20'000, 1);
  for (const std::uint32_t x : sample.cells[0]) expected += x < 100 ? 1 : 0;
  EXPECT_NEAR(all, plausible.model().total(), 0.02 * all);
  EXPECT_NEAR(west, expected, 0.1 * all);
}

// Sixteen cells under one parent: even counts, or all trips in two cells.
Release family(bool clumped) {
  Release release = sample::over(*Domain::of_shape({16}), kTicksPerEpsilon);
  Table t = sample::table("joint", {0}, release.epsilon);
  t.append(sample::box({{0, 16}}), -1, 1600, release.epsilon / 2, 0);
  for (std::uint32_t i = 0; i < 16; ++i) {
    t.append(sample::box({{i, i + 1}}), 0, clumped ? (i < 2 ? 800 : 0) : 100, release.epsilon / 2, 0);
  }
  release.tables.push_back(std::move(t));
  sample::settle(release);
  return release;
}

TEST(PlausibleTrips, ReadsClumpingOffTheFinestCounts) {
  const Release even = family(false), clumped = family(true);
  EXPECT_EQ(PlausibleTrips::make(even)->theta(), 0);
  // Shares of 1/2, 1/2 and 14 of 0 where 1/16 each was expected: sum of (share - 1/16)^2 over 15/16.
  EXPECT_NEAR(PlausibleTrips::make(clumped)->theta(), (0.5 - 1.0 / 16) / (15.0 / 16), 0.01);
}

TEST(PlausibleTrips, TripsOfALeafClump) {
  Release release = sample::city_release(2, 20'000, 200, "eug");
  const PlausibleTrips plausible = *PlausibleTrips::make(release);
  EXPECT_GT(plausible.theta(), 0.001);
  const auto repeated = [](const SyntheticTrips& trips) {
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 0; i < trips.rows(); ++i) {
      std::uint64_t key = 0;
      for (const auto& column : trips.cells) key = key * 200 + column[i];
      keys.push_back(key);
    }
    std::sort(keys.begin(), keys.end());
    return keys.size() - static_cast<std::size_t>(std::unique(keys.begin(), keys.end()) - keys.begin());
  };
  EXPECT_GT(repeated(plausible.draw(1, 1)), 2 * repeated(*plausible.model().draw(20'000, 1)) + 100);
}

}  // namespace
}  // namespace stopover
