// zones: tables between public zones, of which every axis is one (a stop's zones; an hour or a purpose may be others).
// docs/internals/zones.md derives it; mechanism_table.cc has its row.
//
// Planners know their zones beforehand, so most of epsilon can go where they look: to the pairs themselves. Bought are,
// each in a view of its own: the number of trips and, of two axes, an outline of the table (0.01 eps together); blocks,
// all combinations of ranges of zones (0.04 to 0.27 eps, most where trips are spread evenly); the zones' own totals
// (0.01 to 0.24 eps, more the emptier the table is); and with the rest the leaves: all cells of blocks that are full
// enough, a few larger boxes elsewhere. What all of them say together is worked out by zone_estimate.h.
//
// The number of boxes follows the trips, not the cells: no tuple of zones is enumerated where there are no trips.
#pragma once

#include "mechanism/mechanism.h"

namespace stopover {

extern const ParamSpec kZonesParams[1];

Status check_zones(const Params& params, const Domain& domain);
void plan_zones(Kernel& kernel, const Params& params, Release& release);

}  // namespace stopover
