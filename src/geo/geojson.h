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

// A Polygon, or a MultiPolygon where there are several.
Json geojson_of(const Shape& shape);

// How many points there are in the coordinates of a GeoJSON object.
std::size_t corners_of(const Json& json);

}  // namespace stopover
