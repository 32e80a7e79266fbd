// The parts that a table divides a stop into: zones, tiles, or labels. Internal to this room.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "query/query_engine.h"
#include "question/region.h"
#include "question/request.h"

namespace stopover {

struct StopPart {
  std::string name;
  RegionTree region;  // as a question would have it
  Plane plane;        // for adding up
  bool drawn;         // a zone; else the box below says it
  BoxQuery within;    // the tile's sides, other axes whole
};

struct StopParts {
  std::size_t stop = 0;
  std::vector<StopPart> all;

  // The query with one unit's region added. REQUIRES: the query takes the stop whole.
  static void add(const StopPart& unit, RegionQuery& query);
};

// Divides a stop: by the request's zones if there are any and the stop has a map, by its labels if it has one axis with
// labels, else into tiles per side (`tiles` of the request, or `usual`). Fails (bad_input) where zones overlap by more
// than 1 % of the smaller one, unless the request allows it; (usage) where the stop has a region already, or its parts
// are more than the request's patience takes; (interrupted) when that is lost.
Result<StopParts> units_of(const QueryEngine& engine, const Request& request, std::size_t stop, std::size_t usual,
                           std::vector<std::string>& notes);

}  // namespace stopover
