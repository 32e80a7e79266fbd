// anchor: buy each stop's own map first, take the product of the maps as the base, and let the joint tree say only what
// the product does not. docs/internals/anchor.md derives it; mechanism_table.cc has its row.
//
// Trips at one stop are many, so one stop's map can be known finely at little cost, while in 4D and 6D nearly all error
// is how trips lie inside a box. The maps say where to cut and how trips lie inside the leaves (AnswerModel::maps).
//
// Budget: e0 = eps/100 for the total; of the rest, fm for the maps and 1 - fm for the joint tree. The maps' part is
// shared evenly by the factors: factors on one geography are one pooled view of all their points.
#pragma once

#include "mechanism/mechanism.h"

namespace stopover {

extern const ParamSpec kAnchorParams[3];

Status check_anchor(const Params& params, const Domain& domain);
void plan_anchor(Kernel& kernel, const Params& params, Release& release);

}  // namespace stopover
