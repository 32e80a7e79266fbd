// The leaves that a region takes, with the share of each: what tables are added up from.
#pragma once

#include <cstdint>
#include <vector>

#include "query/box_index.h"
#include "query/region_query.h"

namespace stopover {

struct LeafShare {
  std::uint32_t node;  // of the index, a leaf
  double share;        // above 0, at most 1
};

// REQUIRES: the query has the index's axes.
std::vector<LeafShare> leaf_shares(const BoxIndex& index, const RegionQuery& query);

// The share that a plane takes of a leaf.
double plane_share(const BoxIndex& index, std::uint32_t node, const Plane& plane);

}  // namespace stopover
