// LevelGrid: maps of one or several stops on one geography, divided level by level as deep as the noisy counts pay for.
//
// The plan behind `multigrid` (one stop) and behind `anchor`'s maps (several, pooled: a trip is one point a stop). A
// box whose mean over stops is n, with r of a point's budget left, wants n*r/c leaves and is divided into at most 4 x 4
// equal parts; c is small where the map is rough and large where it is smooth, judged by how far the last level's
// counts departed from the smoothed map before it. With `seek`, a box that holds trips beyond doubt, most of them in a
// few places, is always divided into 4 x 4: empty parts cost nothing, and the places are found in fewer levels. With
// public borders, cuts go to borders that run near them (border_cuts.h). Parts that may be divided again are counted
// gradually, so no leaf is paid for twice.
//
// Several stops: the parts of a box are counted stop by stop or all stops together. A point costs the same either way,
// but together there is one noise for all. Boxes where the stops are alike, or too few to tell, are counted together.
//
// Decisions of a level use what was released on the node's own path and on completed levels only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mechanism/borders.h"
#include "privacy/kernel.h"
#include "release/release.h"

namespace stopover {

struct GridRules {
  double leaf_weight = 2.5;                   // c at the root and where the map is rough
  double least_weight = 2, most_weight = 40;  // its limits
  std::size_t most_rows = 1 << 20;
  double least_share = 0;            // of what is left, for a level that is not the last
  bool seek = false;                 // boxes whose trips lie in few places are divided as finely as can be
  const Borders* borders = nullptr;  // of the map, or none
};

// What was measured.
struct GridCounts {
  Table tree;                                     // boxes, parents and ticks; its counts are not used
  std::vector<bool> apart;                        // [row]: counted stop by stop
  std::vector<std::vector<std::int64_t>> counts;  // [row]: one per stop if apart, else one for all; none at the root
  std::vector<std::vector<std::int64_t>> coarse;  // [row]: what counts were before they were refined; else none
  std::vector<double> unlike;                     // [row]: relative variance between the stops, as it was thought to be
  std::size_t stops = 1;
  // Of the mean over stops at the root: the noisy number of trips.
  double total = 0, total_variance = 0;

  double mean(std::size_t row) const;
  // Appends a row, which is not the root, to the table of one stop.
  void append_to(Table& table, std::size_t row, std::size_t stop) const;
};

// Spends all that `root` has left. `root`: a pooled view, its axes the stop's number and then one or two of the map.
// `total`, `total_variance`: the noisy number of trips, known from elsewhere.
GridCounts measure_grid(Kernel& kernel, Region root, double total, double total_variance, const GridRules& rules);

}  // namespace stopover
