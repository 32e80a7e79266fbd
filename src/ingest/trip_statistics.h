// What the trips of an ingest are like: how many a user has, how many stops they have, what a bound of K would keep.
// SECRET: true figures, for the curator's screen. A K that is chosen by them is a fact about the data
// (docs/guide/plan.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "ingest/ingest.h"

namespace stopover {

struct TripStatistics {
  static constexpr std::array<double, 8> kQuantiles = {0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1};

  struct Users {
    std::uint64_t users = 0, trips = 0;  // usable trips of users with an id
    std::array<std::uint64_t, kQuantiles.size()> trips_per_user{};
    std::vector<std::pair<std::uint64_t, std::uint64_t>>
        kept;  // K = 1, 2, 4, ..., and how many trips it keeps; ends where it keeps all
  };
  std::optional<Users> users;  // where there is a user column

  // A number of stops and of trips that have it, whether they can be used or not; at most 20, the fewest stops first.
  // Empty for rows that are trips, and for frames.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> trips_by_stops;

  struct Stays {
    std::uint64_t pings = 0, stays = 0, users = 0;  // pings: those that can be used
    std::uint64_t median_minutes = 0;
  };
  std::optional<Stays> stays;  // of pings
};

Result<TripStatistics> trip_statistics(Ingest& in);

}  // namespace stopover
