// The leaves that a region takes, with the share of each: what tables are added up from.
#pragma once

#include <cstdint>
#include <vector>

#include "query/box_index.h"
#include "query/region_query.h"

namespace stopover {

struct LeafShare {
  std::uint32_t node;  // of the index: a leaf, or a part of one (BoxIndex::parts)
  std::uint32_t leaf;  // the leaf: itself, or whose part it is
  double share;        // of the leaf's trips; above 0, at most 1
};

// REQUIRES: the query has the index's axes.
std::vector<LeafShare> leaf_shares(const BoxIndex& index, const RegionQuery& query);

// The share that a plane takes of a leaf or a part.
double plane_share(const BoxIndex& index, std::uint32_t node, const Plane& plane);

}  // namespace stopover
