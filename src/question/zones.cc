#include "question/zones.h"

#include <array>
#include <map>

#include "base/nearest.h"
#include "base/usage_error.h"
#include "geo/features.h"
#include "geo/geojson.h"
#include "geo/json.h"

namespace stopover {
namespace {

constexpr std::array<const char*, 12> kNameProperties = {"name", "NAME", "Name", "zone", "ZONE",  "zone_id",
                                                         "id",   "ID",   "taz",  "TAZ",  "GEOID", "nhood"};

}  // namespace

Result<Zones> Zones::of_geojson(std::string_view text, std::string_view what, std::string_view name_property) {
  const Json json = parse_json(text);
  if (json.is_discarded()) {
    return Error{Failure::bad_input,
                 std::string(what) + " is not valid JSON\n  Give a GeoJSON FeatureCollection of areas."};
  }
  return of_json(json, what, name_property);
}

Result<Zones> Zones::of_json(const Json& json, std::string_view what, std::string_view name_property,
                             const Patience& patience) {
  const Result<const Json*> features = features_of(json, what);
  if (!features) return features.error();
  Result<std::string> property = naming_property(**features, what, name_property, kNameProperties);
  if (!property) return property.error();
  Zones zones;
  zones.property_ = std::move(*property);

  std::map<std::string, std::size_t, std::less<>> numbers;
  std::size_t number = 0;
  std::vector<std::size_t> firsts;  // the feature that a zone's name was met at
  for (const Json& feature : **features) {
    if (patience.lost()) return Patience::error();
    ++number;
    std::string name =
        zones.property_.empty() ? text_or_number(member(feature, "id")) : property_of(feature, zones.property_);
    if (name.empty()) name = std::to_string(number);
    const std::string called = std::string(what) + ": zone \"" + name + "\" (feature " + std::to_string(number) + ")";
    if (text_of(member(feature, "type")) != "Feature") {
      return Error{Failure::bad_input, called + " is not a Feature\n  A FeatureCollection holds Features."};
    }
    if (corners_of(feature) > patience.corners) {
      return patience.too_many_corners(called);
    }
    Result<Shape> shape = shape_of_json(feature, called);
    if (!shape) return shape.error();
    const auto [at, fresh] = numbers.emplace(name, zones.zones_.size());
    if (fresh) {
      zones.zones_.push_back({std::move(name), std::move(*shape)});
      firsts.push_back(number);
    } else if (name_property.empty()) {
      return Error{Failure::bad_input, std::string(what) + ": features " + std::to_string(firsts[at->second]) +
                                           " and " + std::to_string(number) + " are both called \"" + name +
                                           "\"\n  Name another property with " +
                                           "`zone_name`; or this one, `zone_name " + zones.property_ +
                                           "`, if features of one name are one zone."};
    } else {
      Shape& before = zones.zones_[at->second].shape;
      before = join(before, *shape);
    }
  }
  return zones;
}

Zones Zones::of_zone_set(const ZoneSet& set) {
  Zones zones;
  for (const ZoneRecord& zone : set.all()) zones.zones_.push_back({zone.id, {zone.polygons}});
  zones.property_ = "id";
  return zones;
}

const Zone* Zones::find(std::string_view name) const {
  for (const Zone& zone : zones_) {
    if (zone.name == name) return &zone;
  }
  return nullptr;
}

Result<const Zone*> Zones::get(std::string_view name) const {
  if (const Zone* zone = find(name)) return zone;
  std::vector<std::string> names;
  for (const Zone& zone : zones_) names.push_back(zone.name);
  return usage_error("there is no zone \"" + std::string(name) + "\"\n  The zones are " + list_names(names) + "." +
                     did_you_mean(name, names));
}

}  // namespace stopover
