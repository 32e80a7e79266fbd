// Where a coordinate lies on an axis, in cells from its lower edge: 2.5 is the middle of the third cell. Within 1e-9 of
// a cell's edge it is that edge, so coordinates of the lattice give whole numbers.
#pragma once

#include "domain/domain.h"

namespace stopover {

// May lie outside the axis. REQUIRES: at most 2^62 cells away.
double cell_of(const Axis& axis, double coordinate);
// The same from 0 to axis.cells: what lies outside is at the nearer end.
double cell_within(const Axis& axis, double coordinate);

}  // namespace stopover
