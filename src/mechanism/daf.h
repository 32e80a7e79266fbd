// DAF, the paper's density-aware framework: a tree that divides one axis per level, as finely as the noisy count of a
// node pays for, and stops where it does not. daf-entropy cuts evenly; daf-homogeneity lets the kernel pick among
// random cuts.
#pragma once

#include "mechanism/mechanism.h"

namespace stopover {

extern const ParamSpec kDafEntropyParams[4];
extern const ParamSpec kDafHomogeneityParams[6];

Status check_daf(const Params& params, const Domain& domain);
void plan_daf_entropy(Kernel& kernel, const Params& params, Release& release);
void plan_daf_homogeneity(Kernel& kernel, const Params& params, Release& release);

}  // namespace stopover
