// Privlet (Xiao, Wang, Gehrke 2010, "Differential Privacy via Wavelet Transforms"): the coefficients of Haar's wavelets
// over all cells instead of the cells themselves, in several axes by the standard decomposition. A box then sums (1 + 2
// log2 m) noisy values per axis at most, not all of its cells, and its variance is at most 2/e^2 times the product over
// the axes of (1 + log2 m)^2 (2 + log2 m)/2.
//
// Published: noise in the inverse of a coefficient's weight on averages, by a generalised sensitivity of 1 + log2 m an
// axis. In sums (peers/haar.h) that is the same noise on every coefficient: a trip moves one value of each of the (1 +
// log2 m_1) ... (1 + log2 m_d) grids by 1, so each grid gets that share of epsilon. Departures: adding or removing a
// trip (published: changing one, hence twice the noise); discrete noise; values whose box is beyond the last cell are
// known to be 0.
//
// Reach: every cell is held, so at most `max_partitions` values: 2,048 x 2,048 cells, 42 an axis on 4 axes, 10 on 6.
//
// It makes grids of differences, which `evaluate` can ask (haar_answerer.h) and no release can hold.
#pragma once

#include "mechanism/mechanism.h"
#include "peers/lab_result.h"

namespace stopover {

Status check_privlet(const Params& params, const Domain& domain);
void plan_privlet(Kernel& kernel, const Params& params, LabResult& result);

}  // namespace stopover
