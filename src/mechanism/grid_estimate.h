// What a LevelGrid's counts say of each stop: post-processing only.
#pragma once

#include <vector>

#include "mechanism/level_grid.h"

namespace stopover {

// Sets tree.estimate to the mean over stops (finish_multigrid) and returns each stop's estimates of all rows: not
// negative, adding up, `total` at the root. Going down, a stop's trips divide as the mean does; where the stops were
// counted apart its own counts are then drawn towards that, the less so the more the stops differ. `ticks_to_rate`:
// noise rate of a row of one tick.
std::vector<std::vector<double>> estimate_stops(GridCounts& grid, double ticks_to_rate);

}  // namespace stopover
