#include "calibrate/trip_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace stopover {
namespace {

// As trips are drawn: a few near each other at a time, over three axes.
DrawnTrips some_trips(std::size_t n, std::mt19937_64& random) {
  DrawnTrips trips;
  trips.cells.resize(3);
  for (std::size_t i = 0; i < n; ++i) {
    const auto leaf = static_cast<std::uint32_t>(i / 40);
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      trips.cells[axis].push_back(leaf * 37 * (axis + 1) % 900 + static_cast<std::uint32_t>(random() % 60));
    }
  }
  return trips;
}

TEST(TripColumns, CountsAsAScanDoes) {
  std::mt19937_64 random(5);
  for (const std::size_t n : {1u, 63u, 64u, 65u, 1024u, 1025u, 5000u}) {
    for (const bool together : {false, true}) {
      DrawnTrips trips = some_trips(n, random);
      std::uint64_t all = n;
      if (together) {
        for (std::size_t i = 0; i < n; ++i) trips.times.push_back(1 + static_cast<std::uint32_t>(random() % 5000));
        all = std::accumulate(trips.times.begin(), trips.times.end(), std::uint64_t{0});
        const TripColumns columns(trips);
        EXPECT_EQ(columns.cell(0, 0), trips.cells[0][0]);
        EXPECT_EQ(columns.cell(0, trips.times[0] - 1), trips.cells[0][0]);
        EXPECT_EQ(columns.cell(0, trips.times[0] % all), trips.cells[0][n > 1 ? 1 : 0]);
        EXPECT_EQ(columns.cell(1, all - 1), trips.cells[1][n - 1]);
      }
      const TripColumns columns(trips);
      ASSERT_EQ(columns.trips(), all);
      std::uint64_t met = 0;
      for (int question = 0; question < 200; ++question) {
        Box box = Domain::of_shape({960, 960, 960})->whole();
        for (std::size_t axis = 0; axis < 3 && question > 0; ++axis) {
          const auto a = static_cast<std::uint32_t>(random() % 960), b = static_cast<std::uint32_t>(random() % 960);
          box[axis] = {std::min(a, b), std::max(a, b) + 1};
        }
        std::uint64_t truth = 0;
        for (std::size_t i = 0; i < n; ++i) {
          bool inside = true;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            inside = inside && trips.cells[axis][i] >= box[axis].lo && trips.cells[axis][i] < box[axis].hi;
          }
          truth += inside ? (together ? trips.times[i] : 1) : 0;
        }
        EXPECT_EQ(columns.count(box), truth) << n << " trips, question " << question;
        met += truth;
      }
      EXPECT_GE(met, n);
    }
  }
}

}  // namespace
}  // namespace stopover
