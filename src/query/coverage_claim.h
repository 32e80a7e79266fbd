// CoverageClaim: whether the intervals that a release learned from itself are claimed to hold the truth as often as
// they say.
//
// What they miss is how trips lie inside partitions beyond what the release shows, so a claim stands only where it was
// measured on trips whose truth is known (docs/internals/intervals.md): places, two axes per stop; one stop and trips x
// epsilon of at least 25,000, or two stops and 40,000 (of a trip: epsilon by the most trips of a user); or what a
// mechanism tells of its own leaves (belief.h), on one or two axes of zones; levels of 80 to 99 %. Elsewhere the likely
// interval is the best guess there is and no more; the bounds hold everywhere.
//
// From public numbers alone: every reader of the release comes to the same claim.
#pragma once

#include <string_view>

#include "release/release.h"

namespace stopover {

struct CoverageClaim {
  bool made = false;
  std::string_view why_not;  // a clause: "three stops or more"

  bool holds_at(double level) const { return made && level >= kLeastLevel && level <= kMostLevel; }
  static constexpr double kLeastLevel = 0.8, kMostLevel = 0.99;
};

// REQUIRES: check_release passes. No claim for a release without calibration.
CoverageClaim coverage_claim(const Release& release);

}  // namespace stopover
