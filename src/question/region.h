// Regions of a question's JSON, checked and made ready for the engine.
//
// A region is an object, or a text as it is typed (region_text.h), or a list of these: all of it must hold.
//   {"circle": [LAT, LON, KM]}            {"bbox": [W, S, E, N]}              {"polygon": GeoJSON}
//   {"zone": NAME}                        {"box": [[LO, HI], ...]}            {"cells": [[X, Y], ...]}
//   {"time": ["HH:MM-HH:MM", ...]}        {"category": [LABEL, ...]}          {"range": [LO, HI]}
// Several members in one object all hold. {} and "anywhere" are the whole stop.
#pragma once

#include <string>
#include <vector>

#include "query/query_engine.h"
#include "question/json.h"
#include "question/patience.h"
#include "question/zones.h"

namespace stopover {

// `where`: {STOP: region, ...}. Fails (usage, or bad_input for GeoJSON) naming stop and region. `notes` gets what a reader
// should know besides what QueryEngine::ask says.
Result<std::vector<StopRegion>> regions_of(const QueryEngine& engine, const Json& where, const Zones& zones,
                                           std::vector<std::string>& notes, const Patience& patience = {});

// One region of one stop.
Result<StopRegion> region_of(const QueryEngine& engine, std::size_t stop, const Json& region, const Zones& zones,
                             std::vector<std::string>& notes, const Patience& patience = {});

// Fails (usage) with the nearest names.
Result<std::size_t> stop_of(const Domain& domain, std::string_view name);

}  // namespace stopover
