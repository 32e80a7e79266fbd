// Sparse noise: noise in every cell of a domain that is far too large to visit, of which only what passes a filter is
// seen (Cormode, Procopiuc, Srivastava, Tran, "Differentially Private Summaries for Sparse Data", 2012).
//
// Every cell has value = truth + DL(rate); listed are cell 0 (so that there is always one) and all cells with
// |value| >= threshold. Cells with truth are drawn one by one. An empty cell is listed with probability
//   p = P(|X| >= t) = 2 a^t/(1 + a),   a = exp(-rate),
// independently of all others. So: walk over the cells by gaps of probability p' = 1 - exp(-1/D) >= p (geometric_exp:
// exact), keep each place with probability p/p', leave out those that hold truth. Given |X| >= t, the sign is fair and
// |X| - t is geometric again (memoryless).
//
// The coin p/p': u p' (1 + a)/2 < a^t for a uniform u of 256 bits, by brackets of the three exponentials. What they
// leave open (probability below 2^-180 a coin, whatever the data) aborts, as in discrete_laplace.h.
//
// D = floor(1/(2p)), at most 2^50. Then 1/D >= 2p, and 1 - exp(-x) >= x/2 on [0, 1], so p' >= p.
#pragma once

#include <span>
#include <vector>

#include "privacy/dice.h"

namespace stopover {

// REQUIRES: is_valid(rate); 0 < threshold < 2^61; cells < 2^62; truth ascending by cell; p <= 1/2; about cells/D places
// are visited, at most 2^28 of them.
std::vector<NumberedCount> sparse_noise(Stream& stream, Rate rate, std::uint64_t threshold, std::uint64_t cells,
                                        std::span<const NumberedCount> truth);

}  // namespace stopover
