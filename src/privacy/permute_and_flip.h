// Permute-and-flip: private selection of a candidate with a small penalty (McKenna and Sheldon, 2020).
//
// Candidates are visited in uniformly random order; candidate i is taken with probability exp(-(penalty_i - min)
// num/den), else the next one is visited. The best candidate is always taken when reached, so one is chosen. Exact:
// coins and order come from bernoulli.h, the exponent is an exact fraction of 128-bit numbers, nothing is clamped.
//
// With penalties of sensitivity D the choice is epsilon-DP for num/den = epsilon/(2 D). It is never worse than the
// exponential mechanism with the same epsilon.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/wide.h"
#include "privacy/stream.h"

namespace stopover {

// REQUIRES: penalties not empty, num < 2^64 (so that a gap times num fits), den > 0.
std::size_t permute_and_flip(Stream& stream, std::span<const std::uint64_t> penalties, u128 num, u128 den);

}  // namespace stopover
