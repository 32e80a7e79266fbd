// Well-known binary (OGC 06-103r4), as GeoParquet and databases have geometries.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "geo/shape.h"

namespace stopover {

// A Point, or the areas of a Polygon, MultiPolygon or GeometryCollection of these, checked (shape.h). Heights and
// measures are left out; both byte orders, ISO's and PostGIS's numbers for them. Fails (bad_input), naming `what`:
// bytes that are missing or too many, lines, coordinates that are not on the globe, rings that are not closed or cross.
Result<std::variant<PlanePoint, Shape>> geometry_of_wkb(std::string_view bytes, std::string_view what);

}  // namespace stopover
