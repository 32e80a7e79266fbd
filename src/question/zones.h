// Zones: named areas from a GeoJSON FeatureCollection: districts, traffic analysis zones, stations' surroundings.
//
//   Result<Zones> zones = Zones::of_geojson(text, "zones.geojson");
//   const Zone* mission = zones->find("Mission");
//
// A zone's name is the property that was asked for, else the first of name, NAME, zone, id, ... that every feature has,
// else the feature's own id, else its number. Features of one name are joined where the property was asked for, and
// refused where it was guessed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "domain/zone_set.h"
#include "geo/json_fwd.h"
#include "geo/shape.h"
#include "question/patience.h"

namespace stopover {

struct Zone {
  std::string name;
  Shape shape;
};

class Zones {
 public:
  // Fails (bad_input) as geojson.h says, naming the zone; on a document without features; on a property that some
  // feature lacks (with the nearest one); (interrupted) when patience is lost.
  static Result<Zones> of_geojson(std::string_view text, std::string_view what, std::string_view name_property = {});
  static Result<Zones> of_json(const Json& json, std::string_view what, std::string_view name_property = {},
                               const Patience& patience = {});

  // A release's own, by their ids; those that are no areas have no shape.
  static Zones of_zone_set(const ZoneSet& set);

  const std::vector<Zone>& all() const { return zones_; }
  bool empty() const { return zones_.empty(); }
  const Zone* find(std::string_view name) const;
  // Fails (usage) with the nearest names.
  Result<const Zone*> get(std::string_view name) const;
  const std::string& name_property() const { return property_; }

 private:
  std::vector<Zone> zones_;
  std::string property_;
};

}  // namespace stopover
