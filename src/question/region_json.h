// Regions in a question's JSON. A region is an object, or a text as it is typed (region_text.h), or a list of these,
// which must all hold. An object has a member a kind, {"circle": [LAT, LNG, KM]} (region_kind.h has them all); several
// members must all hold, and {} is the whole stop. {"any_of": [region, ...]} joins areas, {"but_not": [region, region,
// ...]} takes the others away from the first.
#pragma once

#include <string_view>

#include "base/result.h"
#include "geo/json_fwd.h"
#include "question/patience.h"
#include "question/region.h"

namespace stopover {

// `stop` is named in errors. Fails (usage, or bad_input for GeoJSON); (interrupted) when patience is lost.
Result<RegionTree> region_of_json(const Json& node, std::string_view stop, const Patience& patience = {});

// What region_of_json reads again.
Json json_of(const RegionTree& region);

}  // namespace stopover
