// Flat grids: identity, uniform, eug, eug-corrected, ebp, mkm. One level of equal boxes; all but the first two buy a
// noisy total first (eps/100) and derive the number of intervals an axis from it.
#pragma once

#include "mechanism/mechanism.h"

namespace stopover {

extern const ParamSpec kIdentityParams[1];
extern const ParamSpec kGridParams[2];
extern const ParamSpec kEugParams[4];
extern const ParamSpec kEugCorrectedParams[3];

// Every cell with all of epsilon. Dense: refused when the domain has more than `max_partitions` cells.
// The same for any row that counts every cell and has this parameter; `name` is for the message.
Status check_every_cell(std::string_view name, const Params& params, const Domain& domain);
Status check_identity(const Params& params, const Domain& domain);
void plan_identity(Kernel& kernel, const Params& params, Release& release);

// One box with all of epsilon.
void plan_uniform(Kernel& kernel, const Params& params, Release& release);

void plan_eug(Kernel& kernel, const Params& params, Release& release);
void plan_eug_corrected(Kernel& kernel, const Params& params, Release& release);
void plan_ebp(Kernel& kernel, const Params& params, Release& release);
void plan_mkm(Kernel& kernel, const Params& params, Release& release);

}  // namespace stopover
