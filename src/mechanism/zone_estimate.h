// What the mechanism `zones` believes, given its noisy counts: post-processing only. docs/internals/zones.md derives
// it.
//
// First the zones' own totals and the blocks, which say where leaves should be; then the leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "mechanism/zone_hierarchy.h"
#include "release/release.h"

namespace stopover {

// One axis: its zones' noisy totals, and in the end what is believed of them.
struct ZoneAxis {
  std::size_t axis = 0;
  std::uint32_t zones = 0;
  std::vector<std::uint32_t> edges;  // of the nodes that blocks are made of: 0, ..., zones
  std::vector<std::int64_t> counts;  // of the zones; empty when they were not bought
  std::vector<double> mass;          // believed totals, all above 0
  std::vector<double> variance;      // of them
};

// Counts of all combinations of the axes' nodes, the last axis fastest.
struct ZoneBlocks {
  std::vector<std::int64_t> counts;  // empty when they were not bought
  double rate = 0;
  std::vector<double> believed;  // not negative
  std::vector<double> doubted;   // the same, with what may be noise alone drawn to zero
};

struct ZoneModel {
  double total = 0, total_rate = 0;  // the noisy number of trips, at least 0; rate 0: not bought
  std::vector<ZoneAxis> axes;        // those of more than one cell, ascending
  double margin_rate = 0;            // of the zones' totals
  ZoneBlocks coarse;                 // of nodes two levels up; empty unless there are very many blocks
  std::vector<std::vector<std::uint32_t>> coarse_edges;  // per axis
  ZoneBlocks blocks;

  std::size_t block_count() const;
  // The node of every axis, and their ranges.
  std::vector<Interval> block_ranges(std::size_t block) const;
};

// Sets the mass of every zone and what is believed of the blocks.
void estimate_margins(ZoneModel& model);

// Sets the estimates of all rows of the joint table (a root, then a row per block if there are several, then leaves)
// and turns `mass` into the zones' totals that belong to them.
void estimate_leaves(ZoneModel& model, Table& joint, std::size_t first_leaf, double rate, const Domain& domain);

}  // namespace stopover
