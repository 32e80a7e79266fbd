// The bounding box of a public file of zones (GeoJSON): a box that may be declared, because no trip had a say in it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/trip_request.h"

namespace stopover {

// Of every Polygon and MultiPolygon of the document, wherever it is nested; points and lines do not count, since they
// may be trips. Fails (bad_input) when it is not valid JSON, has no area, or a corner that is not on the globe.
Result<DegreeBox> zones_box(std::string_view geojson);
Result<DegreeBox> read_zones_box(const std::string& path);

// How much larger the largest cells of equal angles in a box are than the smallest: 0.01 is one per cent. They follow
// the cosine of the latitude.
double area_spread(const DegreeBox& box);

// The box, widened to the next multiple of `step` degrees on each side and cut at the globe's edge. REQUIRES: step > 0.
DegreeBox widened(const DegreeBox& box, double step);

}  // namespace stopover
