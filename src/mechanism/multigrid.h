// multigrid: an adaptive grid refined level by level, for one stop (one or two axes).
//
// Both axes are divided at once, up to 4 x 4 at a time, as deep as the noisy counts pay for: where a box is smooth it
// stops earlier, where it is rough it goes on. No leaf is paid for twice: a box that may be divided further is counted
// gradually, and the refinement is revealed only if it stays a leaf. Then least squares, non-negative projection,
// zeroing of what is not distinguishable from noise (by a threshold that the noise itself sets), and mass-preserving
// smoothing.
#pragma once

#include "mechanism/mechanism.h"

namespace stopover {

extern const ParamSpec kMultigridParams[2];

Status check_multigrid(const Params& params, const Domain& domain);
void plan_multigrid(Kernel& kernel, const Params& params, Release& release);

}  // namespace stopover
