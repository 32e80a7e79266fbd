// Well-known binary (OGC 06-103r4), as GeoParquet and databases have geometries.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "geo/shape.h"

namespace stopover {

// A Point, or the areas of a Polygon, MultiPolygon or GeometryCollection of these, checked (shape.h). Heights and
// measures are left out; both byte orders, ISO's and PostGIS's numbers for them. Fails (bad_input), naming `what`:
// bytes that are missing or too many, lines, coordinates that are not on the globe, rings that are not closed or cross.
Result<std::variant<PlanePoint, Shape>> geometry_of_wkb(std::string_view bytes, std::string_view what);

// The other way, little-endian: a Point, a Polygon of one rectangle (counterclockwise), a MultiPolygon of areas as
// ZoneRecord has them. Rings are closed where they are not.
std::string wkb_of_point(PlanePoint point);
std::string wkb_of_rectangle(PlanePoint southwest, PlanePoint northeast);
std::string wkb_of_areas(const std::vector<std::vector<Ring>>& polygons);

}  // namespace stopover
