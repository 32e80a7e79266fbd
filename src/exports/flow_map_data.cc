#include "exports/flow_map_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "exports/feature_writer.h"
#include "exports/trip_model.h"

namespace stopover {
namespace {

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// A billionth of a degree is a tenth of a millimetre.
std::string degrees(double value) { return fmt::format("{:.9g}", value); }

using Rectangle = std::array<double, 4>;

}  // namespace

std::string FlowMapData::locations_csv() const {
  std::string text = "id,name,lat,lon\n";
  for (const FlowLocation& l : locations)
    text += fmt::format("{},{},{},{}\n", csv_text(l.id), csv_text(l.name), degrees(l.lat), degrees(l.lon));
  return text;
}

std::string FlowMapData::flows_csv() const {
  std::string text = "origin,dest,count\n";
  for (const FlowBetween& f : flows) {
    text += fmt::format("{},{},{}\n", csv_text(locations[f.origin].id), csv_text(locations[f.dest].id),
                        json_number(f.count));
  }
  return text;
}

std::string FlowMapData::json(const std::string& card) const {
  std::string text = "{\n\"stopover\": " + card + ",\n\"locations\": [";
  for (std::size_t i = 0; i < locations.size(); ++i) {
    const FlowLocation& l = locations[i];
    text += fmt::format("{}\n{{\"id\":{},\"name\":{},\"lat\":{},\"lon\":{}}}", i == 0 ? "" : ",", json_text(l.id),
                        json_text(l.name), degrees(l.lat), degrees(l.lon));
  }
  text += "\n],\n\"flows\": [";
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const FlowBetween& f = flows[i];
    text += fmt::format("{}\n{{\"origin\":{},\"dest\":{},\"count\":{}}}", i == 0 ? "" : ",",
                        json_text(locations[f.origin].id), json_text(locations[f.dest].id), json_number(f.count));
  }
  return text + "\n]\n}\n";
}

Result<FlowMapData> flow_map_data(const Release& release, std::size_t from, std::size_t to) {
  const Result<std::vector<StopPlace>> places = stop_places(release.domain);
  if (!places) return places.error();
  const Result<TripModel> model = TripModel::make(release);
  if (!model) return model.error();
  FlowMapData data;
  std::map<Rectangle, std::size_t> known;
  const TripCentres centres(*model, *places);
  const auto location = [&](std::size_t stop, const Box& box) {
    const GeoBox b = geo_box(release.domain, (*places)[stop], box);
    const auto [at, fresh] = known.try_emplace(Rectangle{b.west, b.south, b.east, b.north}, data.locations.size());
    if (fresh) {
      const GeoPoint centre = centres.of(stop, box);
      data.locations.push_back({fmt::format("p{}", at->second),
                                fmt::format("{:.4f} to {:.4f}, {:.4f} to {:.4f}", b.south, b.north, b.west, b.east),
                                centre.lat, centre.lon});
    }
    return at->second;
  };
  std::map<std::pair<std::size_t, std::size_t>, double> sums;
  for (std::size_t leaf = 0; leaf < model->leaves(); ++leaf) {
    if (!(model->estimate(leaf) > 0)) continue;
    const std::size_t origin = location(from, model->box(leaf));
    const std::size_t dest = location(to, model->box(leaf));
    sums[{origin, dest}] += model->estimate(leaf);
  }
  for (const auto& [pair, count] : sums) data.flows.push_back({pair.first, pair.second, count});
  std::stable_sort(data.flows.begin(), data.flows.end(),
                   [](const FlowBetween& a, const FlowBetween& b) { return a.count > b.count; });
  return data;
}

FlowMapData flow_map_data(const ZoneSet& zones, const LargestPairs& pairs) {
  constexpr std::size_t kNone = SIZE_MAX;
  FlowMapData data;
  std::vector<std::size_t> number(zones.size(), kNone);
  for (const LargestPairs::Pair& pair : pairs.pairs) number[pair.from] = number[pair.to] = 0;
  for (std::size_t zone = 0; zone < zones.size(); ++zone) {
    if (number[zone] == kNone) continue;
    number[zone] = data.locations.size();
    const ZoneRecord& z = zones[zone];
    data.locations.push_back({z.id, z.id, z.place.y, z.place.x});
  }
  for (const LargestPairs::Pair& pair : pairs.pairs)
    data.flows.push_back({number[pair.from], number[pair.to], pair.estimate});
  return data;
}

}  // namespace stopover
