// Releases between a few zones of a few trips: do intervals hold that claim to?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "matrix/matrix.h"
#include "mechanism/mechanism.h"
#include "privacy/stream_dice.h"
#include "query/answerer.h"
#include "query/query_engine.h"
#include "synthetic/number_sequence.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

struct Side {
  std::size_t axis;
  Interval cells;
};

struct Tally {
  int asked = 0, claimed = 0, held_claimed = 0;
};

// Trips between z zones of which some are busier.
Matrix table_of(std::uint32_t z, std::size_t trips, std::uint64_t seed) {
  NumberSequence numbers(seed);
  MatrixBuilder builder(*Domain::of_shape({z, z}));
  std::vector<double> up_to;
  for (std::uint32_t i = 0; i < z; ++i) up_to.push_back((i ? up_to.back() : 0) + std::pow(i + 1.0, -0.8));
  const auto any = [&] {
    const double at = numbers.uniform() * up_to.back();
    return static_cast<std::uint32_t>(std::upper_bound(up_to.begin(), up_to.end(), at) - up_to.begin());
  };
  for (std::size_t i = 0; i < trips; ++i) {
    const std::vector<std::uint32_t> cell = {any(), any()};
    EXPECT_TRUE(builder.add(cell, 1));
  }
  return std::move(builder).build();
}

std::map<std::string, Tally> ask_releases(std::uint32_t z, std::size_t trips, Ticks epsilon, int releases) {
  std::map<std::string, Tally> tallies;
  const Mechanism& mechanism = *find_mechanism("zones");
  for (int key = 0; key < releases; ++key) {
    const Matrix matrix = table_of(z, trips, static_cast<std::uint64_t>(key) + 1);
    StreamDice dice(test_key("small " + std::to_string(key)));
    Kernel kernel(matrix, dice, epsilon, 1);
    const Release release = run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
    const QueryEngine engine = *QueryEngine::make(release);
    Answerer ask(engine.index(), {});
    NumberSequence numbers(static_cast<std::uint64_t>(key) + 77);
    const auto any = [&](std::uint32_t n) { return static_cast<std::uint32_t>(numbers.uniform() * n); };
    const auto count = [&](const char* kind, const std::vector<Side>& at) {
      BoxQuery box = BoxQuery::whole(engine.domain());
      for (const auto& [axis, side] : at) box.lo[axis] = side.lo, box.hi[axis] = side.hi;
      double truth = 0;
      for (std::size_t i = 0; i < matrix.keys().size(); ++i) {
        bool in = true;
        for (const auto& [axis, side] : at) {
          const std::uint32_t cell = matrix.keys_of_axes().cell(matrix.keys()[i], axis);
          in &= cell >= side.lo && cell < side.hi;
        }
        truth += in ? static_cast<double>(matrix.counts()[i]) : 0;
      }
      const Answer answer = ask(box);
      Tally& tally = tallies[kind];
      const bool held = answer.lower <= truth && truth <= answer.upper;
      ++tally.asked;
      tally.claimed += answer.claimed;
      tally.held_claimed += held && answer.claimed;
    };
    count("all", {});
    const auto on = [&](std::size_t axis) {  // where a trip is
      const auto i = static_cast<std::size_t>(numbers.uniform() * static_cast<double>(matrix.keys().size()));
      return matrix.keys_of_axes().cell(matrix.keys()[i], axis);
    };
    for (int q = 0; q < 6; ++q) {
      const std::uint32_t row = on(0), column = on(1);
      const auto one = [](std::uint32_t cell) { return Interval{cell, cell + 1}; };
      count("row", {{0, one(row)}});
      count("column", {{1, one(column)}});
      const auto k = static_cast<std::size_t>(numbers.uniform() * static_cast<double>(matrix.keys().size()));
      const auto cell = [&](std::size_t axis) { return matrix.keys_of_axes().cell(matrix.keys()[k], axis); };
      count("pair", {{0, one(cell(0))}, {1, one(cell(1))}});
      const std::uint32_t wide = std::max(1U, z / 3), at = any(z - wide + 1), to = any(z - wide + 1);
      count("rectangle", {{0, {at, at + wide}}, {1, {to, to + wide}}});
    }
  }
  return tallies;
}

// From 1,500 trips times epsilon on; with fewer nothing is claimed.
TEST(SmallZones, WhatIsClaimedHolds) {
  int held = 0, claimed = 0;
  for (const std::uint32_t zones : {4, 20, 60}) {
    for (const std::size_t trips : {30, 400, 3000}) {
      for (const Ticks epsilon : {kTicksPerEpsilon / 10, kTicksPerEpsilon}) {
        const double strength = static_cast<double>(trips) * static_cast<double>(epsilon) / kTicksPerEpsilon;
        int held_here = 0, claimed_here = 0, asked_here = 0;
        for (const auto& [kind, tally] : ask_releases(zones, trips, epsilon, 20)) {
          held_here += tally.held_claimed;
          claimed_here += tally.claimed;
          asked_here += tally.asked;
        }
        const std::string what = std::to_string(zones) + " zones, " + std::to_string(trips) + " trips, " +
                                 std::to_string(epsilon) + " ticks";
        if (strength < 1000) {
          EXPECT_LT(claimed_here, asked_here / 10) << what;
        } else if (strength > 2000) {
          EXPECT_GT(claimed_here, asked_here * 9 / 10) << what;
          EXPECT_GT(held_here, 0.91 * claimed_here) << what;
        }
        held += held_here;
        claimed += claimed_here;
      }
    }
  }
  EXPECT_GT(held, 0.94 * claimed);
  EXPECT_LT(held, 0.985 * claimed);
}

// 100 of 3,600 pairs have all trips: estimates of the others, which are not negative, sum to some dozens that are not
// there. The number of all trips is claimed no more surely than its counts know it.
TEST(SmallZones, AllTripsOfATableThatIsNearlyEmpty) {
  NumberSequence numbers(11);
  MatrixBuilder builder(*Domain::of_shape({60, 60}));
  std::int64_t trips = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const auto any = [&] { return static_cast<std::uint32_t>(numbers.uniform() * 60); };
    const std::vector<std::uint32_t> cell = {any(), any()};
    const std::uint64_t here = 4000 / (i + 1);
    EXPECT_TRUE(builder.add(cell, here));
    trips += static_cast<std::int64_t>(here);
  }
  const Matrix matrix = std::move(builder).build();
  const Mechanism& mechanism = *find_mechanism("zones");
  int held = 0;
  constexpr int kReleases = 60;
  for (int key = 0; key < kReleases; ++key) {
    StreamDice dice(test_key("nearly empty " + std::to_string(key)));
    Kernel kernel(matrix, dice, kTicksPerEpsilon, 1);
    const Release release = run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
    const QueryEngine engine = *QueryEngine::make(release);
    Answerer ask(engine.index(), {});
    const Answer all = ask(BoxQuery::whole(engine.domain()));
    EXPECT_TRUE(all.claimed);
    const auto truth = static_cast<double>(trips);
    held += all.lower <= truth && truth <= all.upper;
  }
  EXPECT_GE(held, 0.88 * kReleases);
}

// How often the claimed interval of all trips holds, over releases between z zones of which these pairs have all trips.
struct Pair {
  std::uint32_t from, to;
  std::uint64_t trips;
};
int all_trips_held(std::uint32_t z, const std::vector<Pair>& pairs, Ticks epsilon, int releases) {
  MatrixBuilder builder(*Domain::of_shape({z, z}));
  double truth = 0;
  for (const Pair& pair : pairs) {
    EXPECT_TRUE(builder.add(std::vector<std::uint32_t>{pair.from, pair.to}, pair.trips));
    truth += static_cast<double>(pair.trips);
  }
  const Matrix matrix = std::move(builder).build();
  const Mechanism& mechanism = *find_mechanism("zones");
  int held = 0;
  for (int key = 0; key < releases; ++key) {
    StreamDice dice(test_key("handful " + std::to_string(key)));
    Kernel kernel(matrix, dice, epsilon, 1);
    const Release release = run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
    const QueryEngine engine = *QueryEngine::make(release);
    const Answer all = Answerer(engine.index(), {})(BoxQuery::whole(engine.domain()));
    EXPECT_TRUE(all.claimed);
    held += all.lower <= truth && truth <= all.upper;
  }
  return held;
}

// Pairs beside those that have everything are believed to hold a little, and sum to up to a hundred trips.
TEST(SmallZones, AllTripsOfAHandfulOfPairs) {
  const Ticks half = kTicksPerEpsilon / 2;
  EXPECT_GE(all_trips_held(20, {{3, 11, 20'000}}, half, 200), 184);
  EXPECT_GE(all_trips_held(20, {{3, 11, 5000}, {3, 12, 5000}, {9, 1, 5000}}, half, 200), 184);
  std::vector<Pair> diagonal;
  for (std::uint32_t i = 0; i < 20; ++i) diagonal.push_back({i, i * 3 % 20, 1000});
  EXPECT_GE(all_trips_held(20, diagonal, kTicksPerEpsilon / 10, 200), 184);
}

// The counts of the leaves of one axis are what is known of its totals, once.
TEST(SmallZones, OneAxis) {
  constexpr std::uint32_t kZones = 2000;
  const Mechanism& mechanism = *find_mechanism("zones");
  Tally all, parts;
  for (int key = 0; key < 40; ++key) {
    NumberSequence numbers(static_cast<std::uint64_t>(key) + 3);
    MatrixBuilder builder(*Domain::of_shape({kZones}));
    std::vector<double> truth(kZones + 1, 0.0);
    for (int i = 0; i < 20'000; ++i) {
      const double u = numbers.uniform();
      const auto zone = static_cast<std::uint32_t>(u * u * u * kZones);
      EXPECT_TRUE(builder.add(std::vector<std::uint32_t>{zone}, 1));
      truth[zone + 1] += 1;
    }
    for (std::uint32_t zone = 0; zone < kZones; ++zone) truth[zone + 1] += truth[zone];
    const Matrix matrix = std::move(builder).build();
    StreamDice dice(test_key("one axis " + std::to_string(key)));
    Kernel kernel(matrix, dice, kTicksPerEpsilon / 10, 1);
    const Release release = run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
    const QueryEngine engine = *QueryEngine::make(release);
    Answerer ask(engine.index(), {});
    const auto count = [&](std::uint32_t lo, std::uint32_t hi, Tally& tally) {
      BoxQuery box = BoxQuery::whole(engine.domain());
      box.lo[0] = lo, box.hi[0] = hi;
      const Answer answer = ask(box);
      ++tally.asked;
      tally.claimed += answer.claimed;
      const double here = truth[hi] - truth[lo];
      tally.held_claimed += answer.claimed && answer.lower <= here && here <= answer.upper;
    };
    count(0, kZones, all);
    for (const std::uint32_t width : {20U, 100U, 600U}) {
      for (std::uint32_t at = 0; at + width <= kZones; at += 2 * width) count(at, at + width, parts);
    }
  }
  EXPECT_EQ(all.claimed, all.asked);
  EXPECT_GE(all.held_claimed, 36);
  EXPECT_GE(parts.held_claimed, 0.93 * parts.claimed) << parts.held_claimed << " of " << parts.claimed;
}

// Half of the zones are origins alone, the others destinations alone: half of all rows and columns have no trip.
TEST(SmallZones, RowsOfZonesThatNoTripBeginsAt) {
  constexpr std::uint32_t kZones = 32;
  NumberSequence numbers(5);
  MatrixBuilder builder(*Domain::of_shape({kZones, kZones}));
  for (int i = 0; i < 5000; ++i) {
    const auto any = [&] { return static_cast<std::uint32_t>(numbers.uniform() * kZones / 2); };
    const std::vector<std::uint32_t> cell = {any(), kZones / 2 + any()};
    EXPECT_TRUE(builder.add(cell, 1));
  }
  const Matrix matrix = std::move(builder).build();
  const Mechanism& mechanism = *find_mechanism("zones");
  for (const Ticks epsilon : {kTicksPerEpsilon / 10, kTicksPerEpsilon / 5, 2 * kTicksPerEpsilon / 5}) {
    int asked = 0, claimed = 0, held = 0;
    for (int key = 0; key < 10; ++key) {
      StreamDice dice(test_key("one way " + std::to_string(key)));
      Kernel kernel(matrix, dice, epsilon, 1);
      const Release release = run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
      const QueryEngine engine = *QueryEngine::make(release);
      Answerer ask(engine.index(), {});
      for (std::uint32_t zone = 0; zone < kZones / 2; ++zone) {
        for (const std::size_t axis : {0, 1}) {
          BoxQuery box = BoxQuery::whole(engine.domain());
          box.lo[axis] = zone + (axis == 0 ? kZones / 2 : 0);
          box.hi[axis] = box.lo[axis] + 1;
          const Answer answer = ask(box);
          ++asked;
          claimed += answer.claimed;
          held += answer.claimed && answer.lower <= 0;
        }
      }
    }
    EXPECT_EQ(claimed, epsilon > kTicksPerEpsilon / 4 ? asked : 0) << epsilon;
    EXPECT_GE(held, 0.9 * claimed) << epsilon;
  }
}

}  // namespace
}  // namespace stopover
