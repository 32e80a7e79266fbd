// ZonesAsked: the zones that an export runs over, and what a release says of trips between them.
#pragma once

#include <vector>

#include "base/result.h"
#include "exports/zone_flows.h"
#include "job/export_job.h"
#include "question/zones.h"

namespace stopover {

struct ZonesAsked {
  Zones zones;
  ZoneFlows flows;
};

// The zones that `zones` names (a file, GeoJSON itself, or `h3:8`: the cells of that resolution that the map has a part
// of), or the release's own. Begins the job's card. Fails (usage, bad_input) where there are none or they do not fit.
Result<ZonesAsked> ask_zones(ExportJob& job);

// Only trips that `stop` names count from now on. `stops`: those that the table runs over.
Status narrow(ExportJob& job, ZonesAsked& asked, const std::vector<std::size_t>& stops);

}  // namespace stopover
