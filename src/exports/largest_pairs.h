// LargestPairs: the largest flows between zones, found row by row: a table of 10,000 zones has 100 million pairs, and
// a map shows the busy ones.
//
//   const Result<LargestPairs> found = LargestPairs::of(flows, 0, 1, {.most = 2000, .least = 1}, check);
//   for (const LargestPairs::Pair& pair : found->pairs) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "exports/zone_flows.h"

namespace stopover {

struct LargestPairs {
  struct Pair {
    std::size_t from = 0, to = 0;  // numbers of zones
    double estimate = 0;           // not below 0
  };
  struct Wanted {
    std::size_t most = SIZE_MAX;
    double least = 0;   // pairs of fewer trips, as estimated, and of none are left out
    bool stays = true;  // also pairs of a zone with itself
  };

  std::vector<Pair> pairs;      // largest first; the earlier one where they are equal
  std::uint64_t left_out = 0;   // pairs that hold something and are not among them
  double trips_left_out = 0;

  // `check` is asked between blocks of rows, and its error ends the search. Fails (usage) for more pairs than a table
  // may have. REQUIRES: zones are at both stops.
  static Result<LargestPairs> of(const ZoneFlows& flows, std::size_t from, std::size_t to, const Wanted& wanted,
                                 const std::function<Status()>& check);
};

}  // namespace stopover
