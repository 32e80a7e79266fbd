#include "geo/zone_set_json.h"

#include "geo/json.h"

namespace stopover {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered position(const PlanePoint& point) { return Ordered::array({point.x, point.y}); }

Ordered geometry_of(const ZoneRecord& zone, ZoneForm form) {
  if (form == ZoneForm::names) return nullptr;
  if (form == ZoneForm::points) return {{"type", "Point"}, {"coordinates", position(zone.place)}};
  Ordered polygons = Ordered::array();
  for (const std::vector<Ring>& polygon : zone.polygons) {
    Ordered rings = Ordered::array();
    for (const Ring& ring : polygon) {
      Ordered points = Ordered::array();
      for (const PlanePoint& point : ring) points.push_back(position(point));
      rings.push_back(std::move(points));
    }
    polygons.push_back(std::move(rings));
  }
  return {{"type", "MultiPolygon"}, {"coordinates", std::move(polygons)}};
}

bool read_position(const Json* node, PlanePoint& point) {
  if (node == nullptr || !node->is_array() || node->size() != 2) return false;
  if (!(*node)[0].is_number() || !(*node)[1].is_number()) return false;
  point = {(*node)[0].get<double>(), (*node)[1].get<double>()};
  return true;
}

bool read_polygons(const Json* coordinates, std::vector<std::vector<Ring>>& polygons) {
  if (coordinates == nullptr || !coordinates->is_array()) return false;
  for (const Json& polygon : *coordinates) {
    if (!polygon.is_array()) return false;
    std::vector<Ring>& rings = polygons.emplace_back();
    for (const Json& ring : polygon) {
      if (!ring.is_array()) return false;
      Ring& points = rings.emplace_back();
      for (const Json& node : ring) {
        if (!read_position(&node, points.emplace_back())) return false;
      }
    }
  }
  return true;
}

bool read_zone(const Json& feature, const std::vector<std::string>& levels, ZoneForm form, ZoneRecord& zone) {
  const Json* properties = member(feature, "properties");
  if (properties == nullptr) return false;
  zone.id = text_of(member(*properties, "id"));
  for (const std::string& level : levels) zone.groups.push_back(text_of(member(*properties, level.c_str())));
  if (!read_position(member(feature, "place"), zone.place)) return false;
  const Json* geometry = member(feature, "geometry");
  if (form != ZoneForm::polygons) return geometry != nullptr;
  return geometry != nullptr && read_polygons(member(*geometry, "coordinates"), zone.polygons);
}

}  // namespace

std::string zone_set_text(const ZoneSet& zones) {
  std::string text = "{\"type\":\"FeatureCollection\",\"form\":\"" + std::string(to_string(zones.form())) +
                     "\",\"levels\":" + Ordered(zones.levels()).dump() + ",\"features\":[";
  for (std::size_t i = 0; i < zones.size(); ++i) {
    const ZoneRecord& zone = zones[i];
    Ordered properties = {{"id", zone.id}};
    for (std::size_t level = 0; level < zones.levels().size(); ++level) {
      properties[zones.levels()[level]] = zone.groups[level];
    }
    const Ordered feature = {{"type", "Feature"},
                             {"properties", std::move(properties)},
                             {"place", position(zone.place)},
                             {"geometry", geometry_of(zone, zones.form())}};
    text += (i == 0 ? "\n" : ",\n") + feature.dump(-1, ' ', false, Ordered::error_handler_t::replace);
  }
  return text + "\n]}\n";
}

Result<ZoneSet> zone_set_of_text(std::string_view text) {
  const Error bad{Failure::bad_input, "the zones are not written as a release writes them"};
  const Json json = parse_json(text);
  const Json* features = member(json, "features");
  const Json* names = member(json, "levels");
  const Result<ZoneForm> form = parse_zone_form(text_of(member(json, "form")));
  if (features == nullptr || !features->is_array() || names == nullptr || !names->is_array() || !form) return bad;
  std::vector<std::string> levels;
  for (const Json& name : *names) levels.push_back(text_of(&name));
  std::vector<ZoneRecord> records;
  for (const Json& feature : *features) {
    if (!read_zone(feature, levels, *form, records.emplace_back())) return bad;
  }
  Result<ZoneSet> zones = ZoneSet::make(std::move(records), std::move(levels), *form);
  if (!zones) return Error{Failure::bad_input, zones.error().message};
  if (zone_set_text(*zones) != text) return bad;
  return zones;
}

}  // namespace stopover
