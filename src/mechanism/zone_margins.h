// What `zones` believes of zones' totals and of blocks, given their noisy counts: where leaves should be.
// Post-processing only.
#pragma once

#include "mechanism/zone_model.h"

namespace stopover {

// Sets the mass of every zone and what is believed of the blocks.
void estimate_margins(ZoneModel& model);

}  // namespace stopover
