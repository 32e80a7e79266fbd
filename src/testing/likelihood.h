// The law of every primitive of privacy/dice.h, as a formula: log P(output | truth), with bounds.
//
// Written from the definitions and not from the samplers, so that a sampler, a rate or an exponent that is wrong in the
// kernel does not agree with itself here. Not fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/wide.h"
#include "privacy/rate.h"
#include "testing/bounds.h"

namespace stopover {

// released = truth + X, P(X = x) = tanh(rate/2) exp(-rate |x|).
Bounds log_count(Rate rate, std::int64_t truth, std::int64_t released);

// Permute-and-flip takes candidate i. With arrival times uniform on [0, 1] and q_j = exp(-(penalty_j - least) num/den),
// i is taken at time x when all j that came earlier were refused:
//   P(i) = q_i * integral over x of product over j != i of (1 - q_j x).
// In u = 1 - x the factors (1 - q_j) + q_j u have no negative coefficient, so nothing cancels; O(n^2).
Bounds log_choice(std::span<const std::uint64_t> penalties, u128 num, u128 den, std::size_t index);

// split: truth + X > 0.
Bounds log_grow(Rate rate, std::int64_t truth, bool split);

// A cell is not listed: |truth + X| < threshold. REQUIRES: threshold > 0, truth >= 0.
Bounds log_unlisted(Rate rate, std::uint64_t threshold, std::int64_t truth);

// The pair of gradual_laplace.h, both made public.
Bounds log_gradual(Rate fine, Rate coarse, std::int64_t truth, std::int64_t hidden, std::int64_t released);

}  // namespace stopover
