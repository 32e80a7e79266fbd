// What `zones` believes of its leaves, given all noisy counts: post-processing only. docs/internals/zones.md derives
// it.
#pragma once

#include <cstddef>

#include "mechanism/zone_model.h"
#include "release/release.h"

namespace stopover {

// Sets the estimates of all rows of the joint table (a root, then a row per block if there are several, then leaves)
// and the leaves' spread, and turns `mass` into the zones' totals that belong to them.
void estimate_leaves(ZoneModel& model, Table& joint, std::size_t first_leaf, double rate, const Domain& domain);

}  // namespace stopover
