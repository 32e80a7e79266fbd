// ZoneModel: what the mechanism `zones` counted besides its leaves, and what it believes of it.
//
// zones.cc fills in the counts, zone_margins.h what is believed of zones and blocks, zone_estimate.h the leaves.
// docs/internals/zones.md derives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "domain/box.h"

namespace stopover {

// A value and how far it may be off.
struct KnownValue {
  double value = 0;
  double variance = 0;
};

// Two independent estimates of one value, joined by inverse variance. One of infinite variance says nothing.
KnownValue join(KnownValue a, KnownValue b);

// One axis: its zones' noisy totals, and in the end what is believed of them.
struct ZoneAxis {
  std::size_t axis = 0;
  std::uint32_t zones = 0;
  std::vector<std::uint32_t> edges;  // of the nodes that blocks are made of: 0, ..., zones
  std::vector<std::int64_t> counts;  // of the zones; empty when they were not bought
  std::vector<double> mass;          // believed totals, all above 0
  std::vector<double> variance;      // of them
  // Relative variance of what all leaves of a zone have in common: the factor that its total brings to their bases.
  // Readers take 4 times as much, as pairs depart from products; of even tables, where they do not, 0.3 of it are
  // told.
  std::vector<double> doubt;

  std::size_t nodes() const { return edges.size() - 1; }
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
  KnownValue trips;                  // the same, joined with the sums of all tables but the leaves
  std::vector<ZoneAxis> axes;        // those of more than one cell, ascending
  double margin_rate = 0;            // of the zones' totals
  double evenness = 0;               // how evenly trips are spread over the outline, 0 to 1
  ZoneBlocks outline;                // a few large blocks, counted for little; empty unless there are two axes
  ZoneBlocks coarse;                 // of nodes two levels up; empty unless there are very many blocks
  std::vector<std::vector<std::uint32_t>> coarse_edges;  // per axis
  ZoneBlocks blocks;

  // For how many trips leaves and blocks are planned: what was counted, and never fewer than one scale of its noise,
  // which so few cannot be told from. A count below 0 would otherwise make one leaf of a table of some hundreds.
  double planned_trips() const;

  std::size_t block_count() const;
  // The node of every axis, and their ranges.
  std::vector<Interval> block_ranges(std::size_t block) const;
};

}  // namespace stopover
