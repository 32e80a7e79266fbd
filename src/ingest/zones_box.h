// The bounding box of a public file of zones (GeoJSON): a box that may be declared, because no trip had a say in it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/trip_request.h"

namespace stopover {

// Of every position in the "coordinates" of the document, wherever they are nested. Fails (bad_input) when it is no JSON or has
// no position on the globe.
Result<BoundingBox> zones_box(std::string_view geojson);
Result<BoundingBox> read_zones_box(const std::string& path);

// The box, widened to the next multiple of `step` degrees on each side and cut at the globe's edge. REQUIRES: step > 0.
BoundingBox widened(const BoundingBox& box, double step);

}  // namespace stopover
