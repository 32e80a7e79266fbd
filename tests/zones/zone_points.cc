// Zones as they are read, for tests that compare with other libraries.
//
//   zone_points list FILE [LEVEL...]    every zone: id, its place, its groups, its rings; one JSON text per line
//   zone_points locate FILE             from standard input lines "lng lat"; to standard output the zones' ids, or "-"
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "geo/zone_locator.h"
#include "zones/zone_file.h"

int main(int count, char** arguments) {
  using namespace stopover;
  if (count < 3) return 2;
  ZoneFile file{.path = arguments[2]};
  file.levels.assign(arguments + 3, arguments + count);
  const Result<ZoneSet> zones = read_zones(file);
  if (!zones) {
    std::fprintf(stderr, "%s\n", zones.error().message.c_str());
    return static_cast<int>(zones.error().failure);
  }
  if (std::strcmp(arguments[1], "list") == 0) {
    for (const ZoneRecord& zone : zones->all()) {
      nlohmann::json polygons = nlohmann::json::array();
      for (const std::vector<Ring>& rings : zone.polygons) {
        nlohmann::json& polygon = polygons.emplace_back(nlohmann::json::array());
        for (const Ring& ring : rings) {
          nlohmann::json& positions = polygon.emplace_back(nlohmann::json::array());
          for (const PlanePoint& p : ring) positions.push_back({p.x, p.y});
        }
      }
      const nlohmann::json line = {
          {"id", zone.id}, {"place", {zone.place.x, zone.place.y}}, {"groups", zone.groups}, {"polygons", polygons}};
      std::puts(line.dump().c_str());
    }
    return 0;
  }
  const Result<ZoneLocator> locator = ZoneLocator::make(*zones);
  if (!locator) {
    std::fprintf(stderr, "%s\n", locator.error().message.c_str());
    return 2;
  }
  double lng = 0, lat = 0;
  while (std::scanf("%lf %lf", &lng, &lat) == 2) {
    const std::int64_t zone = locator->locate(lng, lat);
    std::puts(zone < 0 ? "-" : (*zones)[static_cast<std::size_t>(zone)].id.c_str());
  }
  return 0;
}
