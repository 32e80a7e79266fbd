// What anchor believes, given noisy counts and a base: post-processing only.
//
// Throughout, a family's children have shares rho of their parent under the base (the product of the stops' maps), and
// kappa says how far the counts depart from the base beyond their noise: kappa = 0 means the base explains them.
#pragma once

#include <cstdint>
#include <vector>

#include "release/release.h"

namespace stopover {

struct Provisional {
  double n = 0;  // not negative
  double variance = 0;
};

// While growing: the parent's belief (n, variance) and the children's counts (each of noise `noise`) give the
// children's.
std::vector<Provisional> provisional(double n, double variance, const std::vector<std::int64_t>& counts, double noise,
                                     const std::vector<double>& shares);

// What the estimate knows of every row besides its count.
struct BaseRows {
  const std::vector<double>& mu;      // the base's mass
  const std::vector<bool>& followed;  // divided because it held more than the base explains (excess.h)
  bool bordered = false;              // cuts heeded public borders
};

// At the end: sets table.estimate for all rows, not negative and adding up. Going up, each row's own count and its
// children's sum are joined by inverse variance; with three maps and more the count for which a leaf was followed is
// left out, as only those that came out too large are followed. Going down, a family that the base explains is drawn
// towards it; a family that refutes the base stands on its own counts, those not distinguishable from noise set to
// zero. In the family of a followed row the children that stand out keep their counts, and the base divides the rest.
// `maps`: how many the base is made of.
void estimate_over_base(Table& table, const BaseRows& rows, double ticks_to_rate, std::size_t maps);

}  // namespace stopover
