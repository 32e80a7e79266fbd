// CoverageClaim: whether the intervals that a release learned from itself are claimed to hold the truth as often as
// they say.
//
// What they miss is how trips lie inside partitions beyond what the release shows, so a claim stands only where it was
// measured on trips whose truth is known (docs/internals/intervals.md), at levels of 80 to 99 %:
//   - places, two axes per stop, one stop, trips x epsilon of at least 25,000 (of a trip: epsilon by the most trips of
//     a user), and of 100,000 for less than a ten-thousandth of the map: learned
//     from the release alone;
//   - places, two axes per stop, two or three stops, probed: trips x the probes' epsilon of at least 1,000, and of
//     2,500 for less than a ten-thousandth of the map at a stop that is asked for. Any stops may be left free, and
//     edges may cut cells: the margins of probed_interval.h are by stops left free, and what an edge leaves open is in
//     the scale (edge_doubt.h). Not where flows that were found may lie in it or not (found_flows.h);
//     One end by itself: from 5,000 on;
//   - what a mechanism tells of its own leaves (belief.h), on one or two axes of zones: trips x epsilon of at least
//     1,500. Below 200 hardly more than the number of trips is known, and that badly; up to 1,500 rows of zones that
//     have none, where others have all, hold as little as half (eval/small_zones_test.cc).
// Elsewhere the likely interval is the best guess there is and no more; the bounds hold everywhere.
//
// From public numbers alone: every reader of the release comes to the same claim.
#pragma once

#include <string_view>

#include "release/release.h"

namespace stopover {

// What a question asks for, as far as a claim depends on it.
struct QuestionShape {
  std::size_t free_stops = 0;  // that are not asked for
  double least_share = 1;      // of a stop's cells, the least that any of the others is asked for
  double most_share = 0;       // and the most
  bool cuts_cells = false;     // an edge runs through cells
};

struct CoverageClaim {
  bool made = false;
  std::string_view why_not;  // a clause: "too few trips for this epsilon"
  // Of a release that is probed or calibrated; else 0.
  double strength = 0;  // trips x the probes' epsilon; one stop: trips x epsilon
  std::size_t stops = 0;

  // Why it does not hold for a question; nothing where it does. A clause.
  std::string_view unclaimed(const QuestionShape& shape) const;
  // Whether either end of an interval is claimed by itself. Of probed releases with fewer trips it misses on one side
  // more than on the other.
  bool ends_hold() const;
  bool holds_at(double level) const { return made && level >= kLeastLevel && level <= kMostLevel; }
  static constexpr double kLeastLevel = 0.8, kMostLevel = 0.99;
};

// REQUIRES: check_release passes. No claim for a release without calibration, nor for one whose probes are of another
// scale (release/probes.h).
CoverageClaim coverage_claim(const Release& release);

}  // namespace stopover
