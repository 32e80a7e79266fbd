// The parts that a table divides a stop into: zones, tiles, or labels. Internal to this room.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "query/query_engine.h"
#include "question/region.h"
#include "question/request.h"

namespace stopover {

// What a table adds for one part.
struct PartPiece {
  Plane plane;      // for adding up
  bool drawn;       // a zone; else the box below says it
  BoxQuery within;  // the tile's sides, other axes whole

  // REQUIRES: the query takes the stop whole.
  void add_to(RegionQuery& query) const;
};

struct StopPart {
  std::string name;                                      // a zone's, a label, a tile's such as B3
  RegionTree region;                                     // as a question would have it
  std::shared_ptr<const PartPiece> alone;                // the part by itself
  std::vector<std::shared_ptr<const PartPiece>> pieces;  // and within what each term asks there; nullptr: nothing
};

struct StopParts {
  std::size_t stop = 0;
  std::vector<StopPart> all;
};

// The terms of `rest` (without_places) with a part added at each of some stops.
Selection narrowed(const Selection& rest, std::span<const StopPart* const> parts);

// Divides a stop: by the request's zones if there are any and the stop has a map, by its labels if it has one axis with
// labels, else into tiles per side (`tiles` of the request, or `usual`). Fails (bad_input) where zones overlap by more
// than 1 % of the smaller one, unless the request allows it; (usage) where its parts are more than the request's
// patience takes; (interrupted) when that is lost. Where the stop has a region, parts are what of them lies in it.
Result<StopParts> units_of(const QueryEngine& engine, const Request& request, std::size_t stop, std::size_t usual,
                           std::vector<std::string>& notes);

}  // namespace stopover
