#include "mechanism/zones.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "matrix/matrix.h"
#include "mechanism/zone_hierarchy.h"
#include "privacy/stream_dice.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

Release publish_zones(const Matrix& matrix, Ticks epsilon, const char* key = "zones") {
  StreamDice dice(test_key(key));
  Kernel kernel(matrix, dice, epsilon, 1);
  const Mechanism& mechanism = *find_mechanism("zones");
  return run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
}

// A city of z zones whose trips go from busy zones to near ones; most pairs are empty.
Matrix city(std::uint32_t z, std::size_t trips, std::size_t stops = 2) {
  std::mt19937_64 random(5);
  MatrixBuilder builder(*Domain::of_shape(std::vector<std::uint64_t>(stops, z)));
  std::exponential_distribution<double> rank(8.0 / z);
  std::normal_distribution<double> way(0, 3);
  for (std::size_t i = 0; i < trips; ++i) {
    std::vector<std::uint32_t> cell;
    double at = std::min(rank(random), z - 1.0);
    for (std::size_t stop = 0; stop < stops; ++stop, at = std::clamp(at + way(random), 0.0, z - 1.0))
      cell.push_back(static_cast<std::uint32_t>(at));
    builder.add(cell, 1);
  }
  return std::move(builder).build();
}

std::vector<double> dense(const Matrix& matrix) {
  const std::size_t z = matrix.domain().axis(1).cells;
  std::vector<double> pairs(matrix.domain().axis(0).cells * z);
  for (std::size_t i = 0; i < matrix.keys().size(); ++i) {
    const u128 key = matrix.keys()[i];
    pairs[matrix.keys_of_axes().cell(key, 0) * z + matrix.keys_of_axes().cell(key, 1)] =
        static_cast<double>(matrix.counts()[i]);
  }
  return pairs;
}

// On pairs that were counted one by one: far less error in all than the counts themselves have, and hardly more on busy
// pairs.
TEST(Zones, EmptyPairsAreEmptyAndBusyOnesStand) {
  const Matrix matrix = city(120, 200'000);
  const std::vector<double> truth = dense(matrix);
  double ours = 0, plain = 0, ours_busy = 0, plain_busy = 0, sum = 0;
  const Release release = publish_zones(matrix, kTicksPerEpsilon / 2);
  const Table& joint = release.tables[0];
  const std::vector<bool> leaves = joint.leaves();
  for (std::size_t row = 0; row < joint.rows(); ++row) {
    sum += leaves[row] ? joint.estimate[row] : 0;
    if (!leaves[row] || joint.box(row).volume() != 1) continue;
    const double x = truth[joint.lo[0][row] * 120 + joint.lo[1][row]];
    ours += std::abs(joint.estimate[row] - x);
    plain += std::abs(static_cast<double>(joint.count[row]) - x);
    if (x < 50) continue;
    ours_busy += std::abs(joint.estimate[row] - x);
    plain_busy += std::abs(static_cast<double>(joint.count[row]) - x);
  }
  EXPECT_LT(ours, 0.55 * plain);
  EXPECT_LT(ours_busy, 1.1 * plain_busy);
  EXPECT_NEAR(sum, 200'000, 1'000);
}

// The zones' own tables hold what the pairs add up to.
TEST(Zones, TablesAgree) {
  const Release release = publish_zones(city(60, 20'000), kTicksPerEpsilon);
  ASSERT_EQ(release.tables.size(), 3u);
  for (std::size_t t = 1; t < 3; ++t)
    EXPECT_NEAR(release.tables[t].estimate[0], release.tables[0].estimate[0], 1e-4 * release.tables[0].estimate[0]);
}

// The number of trips is bought for little, and of a few hundred it may come out below 0. Then too the table is
// divided, and what was counted is believed: the estimate of all trips is within the noise of the leaves' counts.
TEST(Zones, FewTripsAreNotTakenForNone) {
  MatrixBuilder builder(*Domain::of_shape({4, 4}));
  for (std::uint32_t i = 0; i < 400; ++i) {
    const std::vector<std::uint32_t> cell = {i % 4, i / 4 % 4};
    builder.add(cell, 1);
  }
  const Matrix matrix = std::move(builder).build();
  for (int key = 0; key < 40; ++key) {
    const Release release = publish_zones(matrix, kTicksPerEpsilon / 2, ("few " + std::to_string(key)).c_str());
    EXPECT_GT(release.tables[0].rows(), 16u) << key;
    EXPECT_NEAR(release.tables[0].estimate[0], 400, 60) << key;
  }
}

// A leaf whose block was counted to hold less than the leaf: its base would be nothing, and nothing cannot be moved.
TEST(Zones, ALeafIsBelievedThoughItsBlockWasNot) {
  for (const char* key : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}) {
    const Release release = publish_zones(city(40, 300), kTicksPerEpsilon / 4, key);
    const Table& joint = release.tables[0];
    const std::vector<bool> leaves = joint.leaves();
    const double scale = static_cast<double>(kTicksPerEpsilon) / static_cast<double>(joint.ticks);
    for (std::size_t row = 0; row < joint.rows(); ++row) {
      if (!leaves[row] || static_cast<double>(joint.count[row]) < 15 * scale) continue;
      EXPECT_GT(joint.estimate[row], 0.5 * static_cast<double>(joint.count[row])) << key << ' ' << row;
    }
  }
}

// Of 10^12 tuples only as many boxes are made as trips pay for.
TEST(Zones, ThreeStopsOfManyZonesAreNotEnumerated) {
  const Release release = publish_zones(city(10'000, 20'000, 3), kTicksPerEpsilon);
  EXPECT_GT(release.tables[0].rows(), 100u);
  EXPECT_LT(release.tables[0].rows(), 20'000u);
  EXPECT_TRUE(check_release(release));
}

Ticks spent_on(const Release& release, std::string_view view) {
  Ticks spent = 0;
  for (const Charge& charge : release.charges) spent += charge.view == view ? charge.ticks : 0;
  return spent;
}

// Where trips are spread evenly no pair stands out, and more goes to blocks than where they are in a few parts of the
// table.
Matrix even_table(std::uint32_t zones, int trips) {
  MatrixBuilder builder(*Domain::of_shape({zones, zones}));
  std::mt19937_64 random(3);
  const auto anywhere = [&] { return static_cast<std::uint32_t>(random() % zones); };
  for (int i = 0; i < trips; ++i) {
    const std::vector<std::uint32_t> cell = {anywhere(), anywhere()};
    builder.add(cell, 1);
  }
  return std::move(builder).build();
}

TEST(Zones, EvenTablesBuyMoreZonesAndCountBoxesOfPairs) {
  const Ticks all = kTicksPerEpsilon / 2;
  const Release even = publish_zones(even_table(200, 20'000), all), uneven = publish_zones(city(200, 20'000), all);
  EXPECT_GT(spent_on(even, "outline"), 0);
  EXPECT_GT(spent_on(even, "blocks"), all * 12 / 100);
  EXPECT_LT(spent_on(uneven, "blocks"), all * 12 / 100);
  EXPECT_GT(spent_on(even, "map1"), all * 12 / 100);
  EXPECT_LT(spent_on(uneven, "map1"), all * 7 / 100);
  // 20,000 trips at 0.25 or so: boxes of 6 trips times epsilon, under 256 blocks.
  EXPECT_GT(even.tables[0].rows(), 700);
  EXPECT_LT(even.tables[0].rows(), 1'300);
  // Full enough for single pairs: blocks of 6 zones and more, not of 12.
  const Release fuller = publish_zones(even_table(200, 72'000), all);
  const std::vector<std::int32_t>& parents = fuller.tables[0].parent;
  EXPECT_EQ(std::count(parents.begin(), parents.end(), 0), 32 * 32);
}

// Most of epsilon goes to the leaves: 0.94 of it where the table is full, and most of it in a table that is nearly
// empty.
TEST(Zones, MostOfTheBudgetIsForPairs) {
  const Release full = publish_zones(city(20, 200'000), kTicksPerEpsilon),
                empty = publish_zones(city(500, 500), kTicksPerEpsilon);
  EXPECT_GT(full.tables[0].ticks, kTicksPerEpsilon * 93 / 100);
  EXPECT_GE(empty.tables[0].ticks, kTicksPerEpsilon * 69 / 100);
  EXPECT_EQ(full.spent, kTicksPerEpsilon);
  EXPECT_EQ(empty.spent, kTicksPerEpsilon);
}

Domain with_districts() {
  std::vector<ZoneRecord> zones;
  for (int i = 0; i < 40; ++i) {
    zones.push_back({std::to_string(i), {i * 0.01, 0}, {}, {i < 18 ? "west" : "east"}});
  }
  auto set = std::make_shared<const ZoneSet>(*ZoneSet::make(zones, {"district"}, ZoneForm::points));
  return *Domain::make({{"o", 40, AxisKind::zone, 0, 40, set->ids()}, {"d", 40, AxisKind::zone, 0, 40, set->ids()}}, {},
                       set);
}

TEST(ZoneHierarchy, CutsAtDistrictsWhereTheyAreNearTheMiddle) {
  const ZoneHierarchy of_zones(with_districts(), 0);
  EXPECT_EQ(of_zones.cut({0, 40}), 18u);
  EXPECT_EQ(of_zones.cut({18, 40}), 29u);  // no border inside
  EXPECT_EQ(of_zones.cut({0, 24}), 12u);   // 18 is too far from the middle
  EXPECT_EQ(of_zones.edges(1), (std::vector<std::uint32_t>{0, 18, 40}));
  const ZoneHierarchy plain(*Domain::of_shape({5, 5}), 1);
  EXPECT_EQ(plain.edges(2), (std::vector<std::uint32_t>{0, 1, 2, 3, 5}));
  EXPECT_EQ(plain.edges(9), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
}

TEST(ZoneHierarchy, HalvesDeclaredGroups) {
  const ZoneHierarchy of_zones(with_districts(), 0);
  ASSERT_EQ(of_zones.levels(), 1u);
  EXPECT_EQ(of_zones.edges_within(0, 0), (std::vector<std::uint32_t>{0, 18, 40}));
  EXPECT_EQ(of_zones.edges_within(0, 1), (std::vector<std::uint32_t>{0, 9, 18, 29, 40}));
  EXPECT_EQ(ZoneHierarchy(*Domain::of_shape({5, 5}), 1).levels(), 0u);
}

// Three districts of unequal size are what blocks are, though ranges of zones would have been cut elsewhere.
TEST(Zones, BlocksAreTheDeclaredDistricts) {
  std::vector<ZoneRecord> zones;
  for (int i = 0; i < 90; ++i)
    zones.push_back({std::to_string(i), {i * 0.01, 0}, {}, {i < 20 ? "a" : i < 60 ? "b" : "c"}});
  const auto set = std::make_shared<const ZoneSet>(*ZoneSet::make(zones, {"district"}, ZoneForm::points));
  const Domain domain = *Domain::make(
      {{"o", 90, AxisKind::zone, 0, 90, set->ids()}, {"d", 90, AxisKind::zone, 0, 90, set->ids()}}, {}, set);
  MatrixBuilder builder(domain);
  std::mt19937_64 random(3);
  for (int i = 0; i < 100'000; ++i) {
    const std::vector<std::uint32_t> cell = {static_cast<std::uint32_t>(random() % 90),
                                             static_cast<std::uint32_t>(random() % 30)};
    builder.add(cell, 1);
  }
  const Release release = publish_zones(std::move(builder).build(), kTicksPerEpsilon);
  const Table& joint = release.tables[0];
  const std::vector<std::uint32_t> from = {0, 20, 60}, to = {20, 60, 90};
  for (std::size_t row = 1; row <= 9; ++row) {
    EXPECT_EQ(joint.box(row)[0], (Interval{from[(row - 1) / 3], to[(row - 1) / 3]}));
    EXPECT_EQ(joint.box(row)[1], (Interval{from[(row - 1) % 3], to[(row - 1) % 3]}));
  }
  EXPECT_GE(spent_on(release, "blocks"), kTicksPerEpsilon * 8 / 100);
}

TEST(Zones, RefusesAnAxisThatCannotBeCounted) {
  const Mechanism& mechanism = *find_mechanism("zones");
  const Status ok = check_mechanism(mechanism, *read_params(mechanism, {}), *Domain::of_shape({2'000'000, 4}));
  ASSERT_FALSE(ok);
  EXPECT_NE(ok.error().message.find("a0 has 2000000"), std::string::npos);
}

}  // namespace
}  // namespace stopover
