// FoundFlows: what an answer may lack of flows that were found, but not placed to the cell.
//
// Where more trips lie than the maps foresee, `anchor` divides again (mechanism/excess.h). What it finds ends in
// partitions that may still be large, and there the maps, which did not foresee it, are a poor guide: the trips of
// such a partition lie together, in the region or not. Who asks about a flow asks where it is. So
//   - where the maps put a part of such trips into the region, all of them may be: `reach` grows by the rest. Pieces of
//     up to four partitions are taken for one flow, more of them for several;
//   - counts there were looked at before they were refined, so that what was not followed further had its noise rather
//     below 0: `reach` grows by kSelected deviations of it;
//   - where the maps put hardly any of them into the region, nothing can be said: `elsewhere`. A likely interval that
//     does not reach so far is not claimed.
// Of partitions that a region cuts, from released values alone.
#pragma once

#include <algorithm>
#include <cmath>

namespace stopover {

struct FoundFlows {
  // Of partitions whose trips the maps put into the region to kLeastPlaced and more: what lies outside by the maps, and
  // its squares.
  double missed = 0, missed_squares = 0;
  double variance = 0;   // of the counts' noise in the region
  double elsewhere = 0;  // the most of one of the others

  static constexpr double kSignificant = 2;  // deviations of its noise: a partition with less is passed over
  static constexpr double kLeastPlaced = 0.05;
  static constexpr double kSelected = 1.5;

  // A cut partition below one that was followed: the region's share, its estimate, its own count and the variance of
  // that.
  void add(double share, double estimate, double count, double count_variance) {
    if (estimate < kSignificant * std::sqrt(count_variance)) return;
    const double outside = std::max(estimate, count) * (1 - share);
    variance += share * share * count_variance;
    if (share < kLeastPlaced) {
      elsewhere = std::max(elsewhere, outside);
    } else {
      missed += outside;
      missed_squares += outside * outside;
    }
  }
  FoundFlows& operator+=(const FoundFlows& other) {
    missed += other.missed;
    missed_squares += other.missed_squares;
    variance += other.variance;
    elsewhere = std::max(elsewhere, other.elsewhere);
    return *this;
  }

  // How far above the centre, where all else reaches so far.
  double reach(double otherwise) const {
    const double flow = std::min(missed, 2 * std::sqrt(missed_squares));
    return std::sqrt(otherwise * otherwise + flow * flow) + kSelected * std::sqrt(variance);
  }
};

}  // namespace stopover
