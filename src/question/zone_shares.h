// Which share of each zone of a release an area takes. Internal to this room.
//
// A zone that is a point is in the area or not. Of a zone that is an area, the share of its own area (in degrees, as
// everywhere here) that lies in it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "domain/zone_set.h"
#include "geo/shape.h"
#include "query/coverage.h"

namespace stopover {

struct ZoneShares {
  Coverage line;            // one weight per zone of the axis
  std::size_t touched = 0;  // zones with a weight above 0
  std::size_t cut = 0;      // of them those with a weight below 1
};

// REQUIRES: zones.has_places(); a checked shape.
ZoneShares shares_of(const ZoneSet& zones, const Shape& area);

}  // namespace stopover
