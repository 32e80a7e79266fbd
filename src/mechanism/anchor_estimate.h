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

// At the end: sets table.estimate for all rows, not negative and adding up. Going up, each row's own count and its
// children's sum are joined by inverse variance. Going down, a family that the base explains is drawn towards it; a
// family that refutes the base stands on its own counts, those not distinguishable from noise set to zero. `mu`: the
// base's mass of every row. `maps`: how many the base is made of.
void estimate_over_base(Table& table, const std::vector<double>& mu, double ticks_to_rate, std::size_t maps);

}  // namespace stopover
