// Zones from GeoJSON.
#pragma once

#include <string_view>

#include "base/result.h"
#include "zones/zone_file.h"
#include "zones/zone_list.h"

namespace stopover {

// `text` is what the file holds. Areas, or Points alone. Fails as zone_file.h says.
Result<ZoneList> zones_of_geojson(std::string_view text, const ZoneFile& file);

}  // namespace stopover
