// Exact coins: no probability here is rounded.
//
// After Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy" (2020), algorithm 1. Each function
// draws whole words and rejects, so its running time is random (and short: a handful of words) but its law is exact
// given uniform words.
#pragma once

#include "base/wide.h"
#include "privacy/stream.h"

namespace stopover {

// Uniform on 0, ..., n - 1. REQUIRES: n > 0.
u128 uniform_below(Stream& stream, u128 n);

// True with probability exp(-num/den), for every num >= 0. REQUIRES: den > 0. Nothing is multiplied, so nothing
// overflows.
bool bernoulli_exp(Stream& stream, u128 num, u128 den);

// The number of true coins exp(-1/den) before the first false one: P(G = g) = (1 - b) b^g, b = exp(-1/den), in expected
// constant time whatever den is. REQUIRES: 0 < den < 2^62.
u128 geometric_exp(Stream& stream, std::uint64_t den);

}  // namespace stopover
