#include "job/places_job.h"

#include <nlohmann/json.hpp>

#include "geo/json_fwd.h"
#include "ingest/zones_box.h"

namespace stopover {
namespace {

std::vector<std::pair<std::string, std::string>> declared_pairs(const RowsSpec& rows) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const PointColumns& point : rows.columns.points) pairs.emplace_back(point.lat, point.lng);
  if (!pairs.empty()) return pairs;
  if (rows.trips.shape == RowShape::trips) return {{"o_lat", "o_lng"}, {"d_lat", "d_lng"}};
  return {{rows.columns.lat.value_or("lat"), rows.columns.lng.value_or("lng")}};
}

}  // namespace

Result<Places> run_places(const RowsSpec& spec, const Observer& observer) {
  observer.phase("reading places");
  std::optional<DegreeBox> box = spec.box;
  if (!box && !spec.box_from.empty()) {
    const Result<DegreeBox> from = read_zones_box(spec.box_from);
    if (!from) return from.error();
    box = *from;
  }
  Result<std::vector<PlaceColumns>> columns =
      place_columns(spec.source, declared_pairs(spec), box, spec.trips.decimal_comma,
                    {observer.threads, spec.memory_limit, observer.interrupted});
  if (!columns) return columns.error();
  return Places{box.has_value(), std::move(*columns)};
}

std::string Places::json() const {
  Json told = {{"private", true}, {"box", has_box}, {"columns", Json::array()}};
  for (const PlaceColumns& pair : columns) {
    Json sample = Json::array();
    for (const auto& [lng, lat] : pair.sample) sample.push_back({lng, lat});
    told["columns"].push_back({{"lat", pair.lat},
                               {"lng", pair.lng},
                               {"rows", pair.rows},
                               {"missing", pair.missing},
                               {"off_globe", pair.off_globe},
                               {"in_box", pair.in_box},
                               {"in_box_if_swapped", pair.in_box_else},
                               {"swapped", pair.swapped(has_box)},
                               {"sample", std::move(sample)}});
  }
  return told.dump();
}

}  // namespace stopover
