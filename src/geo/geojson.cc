#include "geo/geojson.h"

#include <cstdio>

#include "geo/json.h"

namespace stopover {
namespace {

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", x);
  return text;
}

// Walks one document and keeps where it is.
class Reader {
 public:
  explicit Reader(std::string_view what) : what_(what) {}

  Status geometry(const Json& node, Shape& shape, int depth = 0) {
    const Json* type = member(node, "type");
    if (type == nullptr || !type->is_string()) {
      return fail("is not valid GeoJSON: it has no \"type\"",
                  "An area is {\"type\": \"Polygon\", \"coordinates\": [...]}.");
    }
    const std::string name = text_of(type);
    if (name == "Polygon" || name == "MultiPolygon") return area(node, name == "Polygon", shape);
    if (name == "GeometryCollection" && depth == 0) {
      const Json* parts = member(node, "geometries");
      if (parts == nullptr || !parts->is_array()) return fail("is a GeometryCollection without \"geometries\"", kAreas);
      for (const Json& part : *parts) {
        if (Status s = geometry(part, shape, depth + 1); !s) return s;
      }
      return {};
    }
    return fail("is of type " + name + ", which has no area", kAreas);
  }

 private:
  static constexpr const char* kAreas = "Give a Polygon or MultiPolygon, or a Feature of one.";

  Error fail(const std::string& why, const std::string& instead) const {
    return {Failure::bad_input, what_ + " " + why + "\n  " + instead};
  }

  Status area(const Json& node, bool single, Shape& shape) {
    const Json* coordinates = member(node, "coordinates");
    if (coordinates == nullptr || !coordinates->is_array() || coordinates->empty()) {
      return fail("has no coordinates", "A Polygon's are a list of rings, a ring a list of [longitude, latitude].");
    }
    if (single) return polygon(*coordinates, shape);
    for (const Json& part : *coordinates) {
      if (Status s = polygon(part, shape); !s) return s;
    }
    return {};
  }

  Status polygon(const Json& rings, Shape& shape) {
    if (!rings.is_array() || rings.empty()) {
      return fail("has " + kind_of(rings) + " where a list of rings should be",
                  "A Polygon's coordinates are a list of rings, a MultiPolygon's a list of those.");
    }
    std::vector<Ring> polygon;
    for (const Json& positions : rings) {
      Result<Ring> one = ring(positions, polygon.size() + 1);
      if (!one) return one.error();
      polygon.push_back(std::move(*one));
    }
    shape.polygons.push_back(std::move(polygon));
    return {};
  }

  Result<Ring> ring(const Json& positions, std::size_t which) {
    const std::string where = "has in ring " + std::to_string(which) + " ";
    if (!positions.is_array()) {
      return fail(where + kind_of(positions) + " where a list of positions should be", "A ring is [[lng, lat], ...].");
    }
    Ring points;
    points.reserve(positions.size());
    for (const Json& p : positions) {
      const std::string at = where + "position " + std::to_string(points.size() + 1) + ", " + shown(p) + ", ";
      if (!p.is_array() || p.size() < 2 || !p[0].is_number() || !p[1].is_number()) {
        return fail(at + "which is not a pair of numbers", "A position is [longitude, latitude] in degrees.");
      }
      const double lon = p[0].get<double>(), lat = p[1].get<double>();
      if (Status s = check_position(lon, lat, what_ + " " + at); !s) return s.error();
      points.push_back({lon, lat});
    }
    if (++positions_ + points.size() > kMostPositions) {
      return fail("has more than 2000000 positions", "Simplify it first.");
    }
    positions_ += points.size();
    if (points.size() < 4) {
      return fail(where + std::to_string(points.size()) + " positions, too few for an area",
                  "A ring has at least 4, the last the same as the first.");
    }
    if (points.front() != points.back()) {
      return fail(where + "an end that is not its beginning: it starts at " + number(points.front().x) + "," +
                      number(points.front().y) + " and ends at " + number(points.back().x) + "," +
                      number(points.back().y),
                  "A ring must be closed: repeat the first position at the end, if nothing is missing.");
    }
    return points;
  }

  std::string what_;
  std::size_t positions_ = 0;
};

}  // namespace

Status check_crs_name(std::string_view name, std::string_view what) {
  for (const char* fine : {"CRS84", "CRS 84", "CRS84h"}) {
    if (name.ends_with(fine)) return {};
  }
  for (const char* fine : {"4326", "4269", "4258"}) {
    if (name.ends_with(fine) && (name.size() == 4 || name[name.size() - 5] < '0' || name[name.size() - 5] > '9')) {
      return {};
    }
  }
  return Error{Failure::bad_input,
               std::string(what) + " is in the coordinate system \"" + std::string(name) +
                   "\"\n  Give longitude and latitude in degrees (CRS84), as with ogr2ogr -t_srs EPSG:4326."};
}

Status check_crs(const Json& node, std::string_view what) {
  const Json* crs = member(node, "crs");
  if (crs == nullptr || crs->is_null()) return {};
  const Json* properties = member(*crs, "properties");
  return check_crs_name(properties == nullptr ? "" : text_of(member(*properties, "name")), what);
}

Status check_position(double lng, double lat, const std::string& place) {
  if (lng >= -180 && lng <= 180 && lat >= -90 && lat <= 90) return {};
  const bool swapped = lat >= -180 && lat <= 180 && lng >= -90 && lng <= 90;
  const bool beyond = lat >= -90 && lat <= 90 && lng > -540 && lng < 540;
  return Error{Failure::bad_input, place + "which is not on the globe\n  " +
                                       (swapped  ? "Longitude comes first in GeoJSON: these seem to be swapped."
                                        : beyond ? "Longitudes go from -180 to 180: cut areas over the antimeridian in "
                                                   "two, as with ogr2ogr -wrapdateline."
                                                : "Positions are longitude, latitude in degrees (WGS 84), not metres: "
                                                  "convert them, as with ogr2ogr -t_srs EPSG:4326.")};
}

Result<Shape> shape_of_json(const Json& geojson, std::string_view what) {
  if (Status s = check_crs(geojson, what); !s) return s.error();
  const std::string type = text_of(member(geojson, "type"));
  if (type == "Feature") {
    const Json* geometry = member(geojson, "geometry");
    if (geometry == nullptr || geometry->is_null()) {
      return Error{Failure::bad_input, std::string(what) + " is a Feature without geometry\n  Give it an area."};
    }
    return shape_of_json(*geometry, what);
  }
  if (type == "FeatureCollection") {
    const Json* features = member(geojson, "features");
    if (features == nullptr || !features->is_array() || features->empty()) {
      return Error{Failure::bad_input,
                   std::string(what) + " is a FeatureCollection without features\n  Give it one with an area."};
    }
    Shape all;
    std::size_t number = 0;
    for (const Json& feature : *features) {
      const std::string name = std::string(what) + ", feature " + std::to_string(++number) + ",";
      if (text_of(member(feature, "type")) != "Feature") {
        return Error{Failure::bad_input, name + " is not a Feature\n  A FeatureCollection holds Features."};
      }
      Result<Shape> one = shape_of_json(feature, features->size() == 1 ? what : std::string_view(name));
      if (!one) return one;
      all = all.empty() ? std::move(*one) : join(all, *one);
    }
    return all;
  }
  Shape shape;
  if (Status s = Reader(what).geometry(geojson, shape); !s) return s.error();
  return checked(shape, what);
}

Result<Shape> shape_of_geojson(std::string_view text, std::string_view what) {
  const Json json = parse_json(text);
  if (json.is_discarded()) {
    return Error{Failure::bad_input,
                 std::string(what) + " is not valid JSON\n  Give a GeoJSON file with a Polygon or MultiPolygon."};
  }
  return shape_of_json(json, what);
}

Json geojson_of(const Shape& shape) {
  Json polygons = Json::array();
  for (const std::vector<Ring>& rings : shape.polygons) {
    Json polygon = Json::array();
    for (const Ring& ring : rings) {
      Json& positions = polygon.emplace_back(Json::array());
      for (const PlanePoint& p : ring) positions.push_back(Json::array({p.x, p.y}));
    }
    polygons.push_back(std::move(polygon));
  }
  if (polygons.size() == 1) return Json{{"type", "Polygon"}, {"coordinates", std::move(polygons[0])}};
  return Json{{"type", "MultiPolygon"}, {"coordinates", std::move(polygons)}};
}

std::size_t corners_of(const Json& json) {
  if (json.is_array() && !json.empty() && json[0].is_number()) return 1;
  std::size_t corners = 0;
  if (json.is_array() || json.is_object()) {
    for (const Json& part : json) corners += corners_of(part);
  }
  return corners;
}

}  // namespace stopover
