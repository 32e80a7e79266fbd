// PrivTree (Zhang, Xiao, Xie 2016): a tree whose depth needs no limit, because one charge pays for the whole descent.
//
// Half of epsilon grows the tree (Kernel::grow: lambda = (2b-1)/((b-1) eps), delta = lambda ln b, theta = 0), half
// counts its leaves. `privtree` halves all axes at once (b = 2^d), `privtree-rr` one axis after the other (b = 2).
#pragma once

#include "mechanism/mechanism.h"

namespace stopover {

extern const ParamSpec kPrivtreeParams[2];

void plan_privtree(Kernel& kernel, const Params& params, Release& release);
void plan_privtree_rr(Kernel& kernel, const Params& params, Release& release);

}  // namespace stopover
