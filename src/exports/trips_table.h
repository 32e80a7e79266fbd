// Drawn trips as a table, a row per trip: for a stop on a map `<stop>_lat`, `<stop>_lng` (a point drawn evenly inside
// the cell), for any other axis `<stop>_<axis>`: its label, or a number drawn evenly inside the cell (of a bare matrix:
// the cell itself, in a column of the axis's name, so that `stopover publish --matrix` takes the file back).
#pragma once

#include <cstdint>

#include "exports/long_table.h"
#include "synthetic/generate.h"

namespace stopover {

// The same for the same arguments. `draws`: a number for each trip, as column `draw`; empty: none.
LongTable trips_table(const SyntheticTrips& trips, std::uint64_t seed, std::vector<std::uint32_t> draws = {});

}  // namespace stopover
