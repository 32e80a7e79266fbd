// Buys the maps of all factors: a private tree over the pooled points of the stops that share a geography, then each stop's
// own counts of its leaves.
#pragma once

#include <vector>

#include "mechanism/factors.h"
#include "privacy/kernel.h"
#include "release/release.h"

namespace stopover {

struct MapRules {
  double grow_share = 0.45;            // of a point's budget, for the tree; the rest counts its leaves
  std::size_t most_leaves = 1 << 20;
};

// One table a factor, named map1, map2, ..., whose leaves' estimates are not negative and sum to `total`. Spends `slice` of
// the kernel's budget: slice/factors a point.
std::vector<Table> buy_maps(Kernel& kernel, const std::vector<Factor>& factors, Ticks slice, double total,
                            const MapRules& rules);

// Values as near as possible (least squares) to `values` among those that are not negative and sum to `total`.
// REQUIRES: total >= 0.
std::vector<double> subtract_and_clip(std::vector<double> values, double total);

}  // namespace stopover
