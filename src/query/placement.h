// Placement: what a walk learns about where trips may lie, besides the estimate itself.
//
// A walk calls add_inside for what the region covers wholly and add_cut where it takes a leaf's covered share f: the
// one place where the way trips lie inside a leaf enters. Sums over leaves, so the order does not matter but for
// rounding.
//
// Two uses. placement_bounds() needs no belief about how trips lie in leaves: whoever is in a cut leaf may all be in
// the region or none of them. Calibration (calibration.h) reads the sums as features of how wrong f may be: `spread` is
// the variance if the n trips of each cut leaf chose their place one by one, `clump` if they all went together.
#pragma once

#include <cstdint>

#include "query/belief.h"
#include "query/found_flows.h"

namespace stopover {

struct Placement {
  // Of what is wholly inside, and of the whole of the cut leaves: an unbiased value, and the variance of its noise.
  double inside = 0, inside_variance = 0;
  double cut = 0, cut_variance = 0;
  double spread = 0;  // sum of n f (1 - f) over cut leaves, n the estimate
  double clump = 0;   // sum of n^2 f (1 - f)
  double edge = 0;    // square of the estimate times the edge doubt (edge_doubt.h); of the whole answer
  Belief belief{};    // of all of them, cut or not
  FoundFlows found{};  // of cut leaves below followed ones

  void add_inside(double value, double variance, const Belief& believed = {}) {
    belief += believed;
    inside += value;
    inside_variance += variance;
  }
  // `leaves` leaves of the same share whose estimates sum to n; more than one is counted as equal ones.
  void add_cut(double share, double n, double value, double variance, std::uint32_t leaves = 1,
               const Belief& believed = {}) {
    belief += believed.part(share, n, leaves);
    const double once = n * share * (1 - share);
    spread += once;
    clump += leaves == 1 ? n * once : n * once / leaves;
    cut += value;
    cut_variance += variance;
  }
  Placement& operator+=(const Placement& other) {
    inside += other.inside;
    inside_variance += other.inside_variance;
    cut += other.cut;
    cut_variance += other.cut_variance;
    spread += other.spread;
    clump += other.clump;
    edge += other.edge;
    belief += other.belief;
    found += other.found;
    return *this;
  }
  // One leaf, cut or inside, without a branch.
  void add_any(double share, bool is_cut, double n, double value, double variance, const Belief& believed = {}) {
    belief += believed.part(share, n, 1);
    const double as_cut = is_cut, as_inside = !is_cut;
    const double once = as_cut * (n * share * (1 - share));
    spread += once;
    clump += n * once;
    cut += as_cut * value;
    cut_variance += as_cut * variance;
    inside += as_inside * value;
    inside_variance += as_inside * variance;
  }
};

struct PlacementBounds {
  double lower = 0, upper = 0;
};

// How many standard deviations any weighted sum S of independent Laplace variables may be off with that probability: a
// q with P(|S| <= q sd) >= level, the larger of a normal variable's and one Laplace variable's. REQUIRES: 0 < level <
// 1.
double noise_reach(double level);

// The truth if nobody of the cut leaves is in the region, or all of them, less or more what noise can do: holds with
// probability `level` at least, whatever the data and however trips lie. Not below 0. `reach`: noise_reach(level).
PlacementBounds placement_bounds(const Placement& placement, double reach);

}  // namespace stopover
