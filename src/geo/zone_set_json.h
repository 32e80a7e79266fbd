// A ZoneSet as one GeoJSON text, as releases and cells files keep it: any map program opens it.
//
// A FeatureCollection with members `form` and `levels`; one feature per zone in the order of the axis, with the
// property `id` and one per level, the member `place` [longitude, latitude], and its geometry: a Point, a MultiPolygon,
// or null. The text is canonical: the same zones give the same bytes, and only those are read.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/zone_set.h"

namespace stopover {

std::string zone_set_text(const ZoneSet& zones);
// Fails (bad_input) on anything but a text that zone_set_text makes.
Result<ZoneSet> zone_set_of_text(std::string_view text);

}  // namespace stopover
