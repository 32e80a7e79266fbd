// UG and AG (Qardaji, Yang, Li 2013): a uniform grid of sqrt(N eps/10) intervals an axis; and one coarse grid whose
// every box is divided again, as finely as its own noisy count pays for, with least squares over the two levels.
//
// `ag` in 2D is as published. From 3D on it is this project's extension with the same constants and the exponent
// 2/(d+2) that balances noise and border there.
#pragma once

#include "mechanism/mechanism.h"

namespace stopover {

extern const ParamSpec kUgParams[1];
extern const ParamSpec kAgParams[2];

void plan_ug(Kernel& kernel, const Params& params, Release& release);
void plan_ag(Kernel& kernel, const Params& params, Release& release);

}  // namespace stopover
