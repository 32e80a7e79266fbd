// GeoJSON (RFC 7946) as shapes.
//
// Polygon, MultiPolygon, GeometryCollection of these, Feature and FeatureCollection. Positions are longitude, latitude.
// Every error (bad_input) names the feature, the ring and the position, and what to do: unclosed rings, too few points,
// coordinates that are not numbers or not on the globe (with a hint where they seem swapped), another coordinate
// system, rings that cross (shape.h), points and lines where an area is wanted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "geo/json_fwd.h"
#include "geo/shape.h"

namespace stopover {

// The most positions in one document.
inline constexpr std::size_t kMostPositions = 2'000'000;

// One area; the features of a collection are joined. `what` names it in errors.
Result<Shape> shape_of_geojson(std::string_view text, std::string_view what);
Result<Shape> shape_of_json(const Json& geojson, std::string_view what);

// The old member "crs": fails (bad_input) when it names another system than longitude and latitude in degrees (CRS84,
// EPSG 4326, and what differs from them by a few metres at most: EPSG 4269 of North America, EPSG 4258 of Europe).
Status check_crs(const Json& geojson, std::string_view what);
// The same for a system by its name.
Status check_crs_name(std::string_view name, std::string_view what);

// Longitude and latitude in degrees. Fails (bad_input), saying what it seems to be instead, where `place` ("zone 3 has
// in ring 1 position 2, [1, 200],") is not on the globe.
Status check_position(double lng, double lat, const std::string& place);

// A Polygon, or a MultiPolygon where there are several.
Json geojson_of(const Shape& shape);

// How many points there are in the coordinates of a GeoJSON object.
std::size_t corners_of(const Json& json);

}  // namespace stopover
