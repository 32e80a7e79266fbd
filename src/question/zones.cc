#include "question/zones.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/nearest.h"
#include "base/usage_error.h"
#include "geo/geojson.h"
#include "geo/json.h"

namespace stopover {
namespace {

constexpr std::array<const char*, 12> kNameProperties = {"name", "NAME", "Name", "zone", "ZONE",  "zone_id",
                                                         "id",   "ID",   "taz",  "TAZ",  "GEOID", "nhood"};

// A property's value as a name; "" where it is none.
std::string name_of(const Json* value) {
  if (value == nullptr) return "";
  if (value->is_string()) return text_of(value);
  if (value->is_number()) return value->dump();
  return "";
}

const Json* property(const Json& feature, const char* name) {
  const Json* properties = member(feature, "properties");
  return properties == nullptr ? nullptr : member(*properties, name);
}

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
  const auto fail = [&](const std::string& why, const std::string& instead) {
    return Error{Failure::bad_input, std::string(what) + " " + why + "\n  " + instead};
  };
  const Json* features = member(json, "features");
  if (text_of(member(json, "type")) != "FeatureCollection" || features == nullptr || !features->is_array()) {
    return fail("is not a FeatureCollection",
                "Zones are a GeoJSON FeatureCollection; each feature an area with a "
                "name.");
  }
  if (features->empty()) return fail("has no feature", "Each zone is a feature with an area and a name.");

  Zones zones;
  const auto all_have = [&](const char* name) {
    return std::all_of(features->begin(), features->end(),
                       [&](const Json& f) { return !name_of(property(f, name)).empty(); });
  };
  if (!name_property.empty()) {
    zones.property_ = name_property;
    if (!all_have(zones.property_.c_str())) {
      std::vector<std::string> known;
      if (const Json* properties = member((*features)[0], "properties");
          properties != nullptr && properties->is_object()) {
        for (const auto& [key, value] : properties->items()) known.push_back(key);
      }
      return fail("has features without a property \"" + zones.property_ + "\" to name them",
                  "The first one has " + (known.empty() ? "none" : list_names(known)) + "." +
                      did_you_mean(zones.property_, known));
    }
  } else {
    for (const char* candidate : kNameProperties) {
      if (!zones.property_.empty() || !all_have(candidate)) continue;
      zones.property_ = candidate;
    }
  }

  std::map<std::string, std::size_t, std::less<>> numbers;
  std::size_t number = 0;
  for (const Json& feature : *features) {
    if (patience.lost()) return Patience::error();
    ++number;
    std::string name =
        zones.property_.empty() ? name_of(member(feature, "id")) : name_of(property(feature, zones.property_.c_str()));
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
    } else {
      Shape& before = zones.zones_[at->second].shape;
      before = join(before, *shape);
    }
  }
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
