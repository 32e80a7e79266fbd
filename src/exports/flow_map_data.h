// Data for flow maps as flowmap.gl and FlowmapBlue take them: `locations` (id, name, lat, lon) and `flows` (origin,
// dest, count), one leg at a time.
//
// Locations are the rectangles that the partitions have at the two stops, each once and at the centre of its trips
// there (trip_centres.h); a flow is what the partitions between two rectangles hold together. Flows of 0 are left out.
// A rectangle that both stops have is one location, where the trips of the first are. Of a release of zones locations
// are its zones, at their points or the centres of their areas.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "exports/largest_pairs.h"
#include "release/release.h"

namespace stopover {

struct FlowLocation {
  std::string id, name;
  double lat = 0, lon = 0;
};

struct FlowBetween {
  std::size_t origin = 0, dest = 0;  // numbers of locations
  double count = 0;
};

struct FlowMapData {
  std::vector<FlowLocation> locations;
  std::vector<FlowBetween> flows;  // largest first

  std::string locations_csv() const;
  std::string flows_csv() const;
  // One document {"locations": [...], "flows": [...], "stopover": card}. `card`: JSON text.
  std::string json(const std::string& card) const;
};

// From one stop to another, by their numbers. Fails (bad_input) where stops are not on a map.
Result<FlowMapData> flow_map_data(const Release& release, std::size_t from, std::size_t to);

// Between zones. REQUIRES: they have places.
FlowMapData flow_map_data(const ZoneSet& zones, const LargestPairs& pairs);

}  // namespace stopover
