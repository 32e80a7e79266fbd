// Varywidth (Cormode, Garofalakis, Shekelyan 2021, "Data-Independent Space Partitionings for Summaries"): d overlapping
// grids over one coarse grid of m intervals an axis, grid i finer by a factor c along axis i alone, each counted with
// epsilon/d. A box is then asked of the coarse boxes inside it, and its border along axis i of grid i
// (peers/cover_answerer.h).
//
// Published: c and m as free parameters, c = m balancing the two. Here c = m as well, and m such that a grid has as
// many boxes as UG has with epsilon/d, by a noisy total for eps/100: m^(d+1) = ug^d.
//
// The grids overlap: `evaluate` can ask them (cover_answerer.h), and no release can hold them.
#pragma once

#include "mechanism/mechanism.h"
#include "peers/lab_result.h"

namespace stopover {

void plan_varywidth(Kernel& kernel, const Params& params, LabResult& result);

}  // namespace stopover
