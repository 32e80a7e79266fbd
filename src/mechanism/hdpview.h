// HDPView (Kato, Takahashi, Takagi, Cao, Liew, Yoshikawa 2022): boxes are cut in two, at the place of all axes that
// leaves the least aggregation error (sum of |f - mean|), chosen privately, as long as their own error is large; leaves
// are counted.
//
// Published constants: ratio 0.9 of epsilon divides, the rest counts leaves; gamma = 0.9 of the dividing part says
// where to stop (random converge, alpha = 1.6, threshold 1/(epsilon of a leaf)), 0.1 where to cut (random cut), in
// equal parts over the first kappa = ceil(beta log2 cells) levels, beta = 1.2; deeper cuts are uniformly random.
//
// Departures: cuts by permute-and-flip at the proven sensitivity 2 (published: the exponential mechanism at 4), so
// sharper at the same price; axes with very many places are thinned evenly; the whole domain may stay undivided too. A
// leaf above level kappa leaves its share of cuts unspent, as published.
#pragma once

#include "mechanism/mechanism.h"

namespace stopover {

extern const ParamSpec kHdpviewParams[5];

void plan_hdpview(Kernel& kernel, const Params& params, Release& release);

}  // namespace stopover
