// Edge doubt: what a region's edge leaves open where it cuts cells.
//
// A release knows nothing below a cell. A cell that a region takes with a share w of its area may hold all its trips on
// one side of the edge: a bus stop, a dock, a front door. Such trips are the same ones for every leaf, so this does not
// average out over leaves. With m the mass of a cell on the stop's map, the region's trips at that stop are off by this
// variance, relative to their number:
//     r = sum of m^2 w (1 - w) over cells, divided by the square of sum of m w.
// Several stops add up; a finer grid makes r smaller, for cells hold less.
#pragma once

#include <cstddef>

#include "query/box_index.h"
#include "query/box_query.h"
#include "query/coverage.h"

namespace stopover {

// Of a plane's region. `map`: of the plane's axes; nullptr: all cells alike.
double edge_doubt(const Coverage& coverage, const StopMap* map);
// Of a box whose edges may lie inside cells, over all stops' maps. 0 for whole cells.
double edge_doubt(const BoxIndex& index, const BoxQuery& box);

}  // namespace stopover
