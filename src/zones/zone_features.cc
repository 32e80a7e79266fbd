#include "zones/zone_features.h"

#include <algorithm>

#include "base/nearest.h"
#include "base/usage_error.h"
#include "geo/features.h"
#include "geo/geojson.h"
#include "geo/json.h"
#include "zones/zone_names.h"

namespace stopover {
namespace {

std::string geometry_type(const Json& feature) {
  const Json* geometry = member(feature, "geometry");
  return geometry == nullptr ? "" : text_of(member(*geometry, "type"));
}

Result<PlanePoint> point_of(const Json& feature, const std::string& what) {
  const Json* at = member(*member(feature, "geometry"), "coordinates");
  if (at == nullptr || !at->is_array() || at->size() < 2 || !(*at)[0].is_number() || !(*at)[1].is_number()) {
    return Error{Failure::bad_input, what +
                                         " has no pair of numbers as its coordinates\n  A Point's are [longitude, "
                                         "latitude] in degrees."};
  }
  const PlanePoint p{(*at)[0].get<double>(), (*at)[1].get<double>()};
  if (Status fine = check_position(p.x, p.y, what + " is at " + shown(*at) + ", "); !fine) return fine.error();
  return p;
}

}  // namespace

Result<ZoneList> zones_of_geojson(std::string_view text, const ZoneFile& file) {
  const std::string& path = file.path;
  const Json json = parse_json(text);
  if (json.is_discarded()) {
    return Error{Failure::bad_input, path + " is not valid JSON\n  Give a GeoJSON FeatureCollection of areas."};
  }
  const Result<const Json*> found = features_of(json, path);
  if (!found) return found.error();
  const Json& features = **found;

  const Result<std::string> named = naming_property(features, path, file.id, kIdNames, "zone_id");
  if (!named) return named.error();
  const std::string& property = *named;
  for (const std::string& level : file.levels) {
    if (Status fine = require_property(features, level, path, "levels"); !fine) return fine.error();
  }

  ZoneList list;
  list.entry_name = "feature";
  const bool points = std::all_of(features.begin(), features.end(),
                                  [](const Json& feature) { return geometry_type(feature) == "Point"; });
  list.form = points ? ZoneForm::points : ZoneForm::polygons;
  for (const Json& feature : features) {
    const std::size_t number = list.entries.size();
    ZoneList::Entry& entry = list.entries.emplace_back();
    entry.id = property.empty() ? text_or_number(member(feature, "id")) : property_of(feature, property);
    if (entry.id.empty()) {
      const std::vector<std::string> known = property_names(feature);
      return usage_error(path +
                         ": which property is the " + file.id_words() + "None of the usual ones is in every " +
                         "feature; feature " + std::to_string(number + 1) + " has " +
                         (known.empty() ? "none at all" : list_names(known)) + ".");
    }
    for (const std::string& level : file.levels) entry.groups.push_back(property_of(feature, level));
    const std::string what = called(path, entry.id, "feature", number);
    if (text_of(member(feature, "type")) != "Feature") {
      return Error{Failure::bad_input, what + " is not a Feature\n  A FeatureCollection holds Features."};
    }
    if (points) {
      Result<PlanePoint> place = point_of(feature, what);
      if (!place) return place.error();
      entry.place = *place;
    } else {
      Result<Shape> shape = shape_of_json(feature, what);
      if (!shape) return shape.error();
      entry.shape = std::move(*shape);
    }
  }
  return list;
}

}  // namespace stopover
