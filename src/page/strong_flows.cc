#include "page/strong_flows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explore/top_flows.h"
#include "page/basemap.h"
#include "page/template.h"
#include "query/answerer.h"

namespace stopover {
namespace {

constexpr std::uint32_t kBoard = 8;  // squares along a side
constexpr double kKmPerDegree = 111.2;

// A stop that has places: zones, or a map.
struct PlacedStop {
  bool zones = false;
  std::size_t x = 0, y = 0;
  std::uint32_t parts = 0;  // squares along a side
};

std::vector<PlacedStop> placed_stops(const Domain& domain) {
  std::vector<PlacedStop> all;
  for (const Stop& stop : domain.stops()) {
    std::optional<std::size_t> zone, lng, lat;
    for (const std::size_t axis : stop.axes) {
      if (domain.axis(axis).kind == AxisKind::zone) zone = axis;
      if (domain.axis(axis).kind == AxisKind::longitude) lng = axis;
      if (domain.axis(axis).kind == AxisKind::latitude) lat = axis;
    }
    if (zone) {
      all.push_back({true, *zone, *zone, 0});
    } else if (lng && lat) {
      all.push_back({false, *lng, *lat, std::min({kBoard, domain.axis(*lng).cells, domain.axis(*lat).cells})});
    }
  }
  return all;
}

double kilometres(const PlanePoint& a, const PlanePoint& b) {
  const double squeeze = std::cos((a.y + b.y) / 2 * M_PI / 180);
  return kKmPerDegree * std::hypot((a.x - b.x) * squeeze, a.y - b.y);
}

class Finder {
 public:
  explicit Finder(const Release& release) : release_(release), domain_(release.domain), stops_(placed_stops(domain_)) {}

  Result<StrongFlows> find(std::size_t most) {
    const Result<BoxIndex> index = BoxIndex::make(release_);
    if (!index) return index.error();
    StrongFlows all;
    all.stops = stops_.size();
    if (stops_.empty()) return all;
    all.zones = stops_[0].zones;
    all.box = box();
    all.places = all.zones ? domain_.axis(stops_[0].x).cells : std::size_t{stops_[0].parts} * stops_[0].parts;
    if (!all.zones && all.box)
      all.side_km = kilometres({0, all.box->south}, {0, all.box->north}) / static_cast<double>(stops_[0].parts);

    TopFlows flows(domain_, *index, map_stops(), RegionQuery::of(BoxQuery::whole(domain_)));
    Answerer ask(*index, {});
    // Far enough to see flows of a hundred trips, unless there are very many above.
    constexpr std::size_t kQuestions = 500, kRounds = 120;
    bool more = true;
    for (std::size_t round = 0; more && round < kRounds; ++round) {
      more = flows.search(kQuestions);
      if (!flows.found().empty() && flows.found().back().estimate < 7) break;
    }
    std::vector<const TopFlows::Way*> led;
    for (const TopFlows::Way& way : flows.found()) {
      if (leads_on(way)) led.push_back(&way);
    }
    for (std::size_t i = 0; i < std::min(most, led.size()); ++i) {
      const Answer answer = ask(flows.query_of(*led[i]));
      all.claimed = all.claimed && answer.claimed;
      all.flows.push_back(named(*led[i], answer));
    }
    for (const double trips : {100.0, 1000.0, 10000.0, 30.0, 10.0}) {
      if (all.errors.size() == 2) break;
      if (const std::optional<double> off = error_at(trips, led, flows, ask)) all.errors.push_back({trips, *off});
    }
    std::sort(all.errors.begin(), all.errors.end(), [](const auto& a, const auto& b) { return a.trips > b.trips; });
    return all;
  }

 private:
  std::optional<DegreeBox> box() const {
    const PlacedStop& first = stops_[0];
    if (!first.zones) {
      const Axis &x = domain_.axis(first.x), &y = domain_.axis(first.y);
      return DegreeBox{x.lower, y.lower, x.upper, y.upper};
    }
    const ZoneSet* zones = domain_.zones();
    if (zones == nullptr || !zones->has_places()) return std::nullopt;
    DegreeBox around{180, 90, -180, -90};
    for (const ZoneRecord& zone : zones->all()) {
      around.west = std::min(around.west, zone.place.x), around.east = std::max(around.east, zone.place.x);
      around.south = std::min(around.south, zone.place.y), around.north = std::max(around.north, zone.place.y);
    }
    return around;
  }

  std::vector<TopFlows::MapStop> map_stops() const {
    std::vector<TopFlows::MapStop> all;
    for (const PlacedStop& stop : stops_) {
      all.push_back(
          {stop.x, stop.y,
           stop.zones ? TopFlows::cells(domain_, stop.x) : TopFlows::board(domain_, stop.x, stop.y, stop.parts)});
    }
    return all;
  }

  static bool leads_on(const TopFlows::Way& way) {
    return std::adjacent_find(way.places.begin(), way.places.end()) == way.places.end();
  }

  StrongFlow named(const TopFlows::Way& way, const Answer& answer) const {
    StrongFlow flow;
    flow.estimate = answer.estimate, flow.lower = answer.lower, flow.upper = answer.upper;
    for (std::size_t s = 0; s < stops_.size(); ++s) {
      const PlacedStop& stop = stops_[s];
      const std::uint32_t place = way.places[s];
      if (stop.zones) {
        const ZoneSet* zones = domain_.zones();
        flow.names.push_back(domain_.axis(stop.x).labels[place]);
        const bool grouped = zones != nullptr && !zones->levels().empty();
        flow.where.push_back(grouped ? (*zones)[place].groups[0] : "");
        if (zones != nullptr && zones->has_places()) flow.at.push_back((*zones)[place].place);
      } else {
        const std::uint32_t column = place % stop.parts, row = place / stop.parts;
        const auto middle = [&](const Axis& axis, std::uint32_t i) {
          const Interval side = TopFlows::part(i, stop.parts, axis.cells);
          return (axis.edge(side.lo) + axis.edge(side.hi)) / 2;
        };
        flow.at.push_back({middle(domain_.axis(stop.x), column), middle(domain_.axis(stop.y), row)});
        flow.names.push_back(fmt::format("{}{}", static_cast<char>('A' + column), row + 1));
        flow.where.push_back(near_town(flow.at.back()));
      }
    }
    if (flow.at.size() < stops_.size()) flow.at.clear();
    return flow;
  }

  // Half the length of the ranges of flows of about that size, as a middle one has it.
  std::optional<double> error_at(double trips, const std::vector<const TopFlows::Way*>& led, const TopFlows& flows,
                                 Answerer& ask) const {
    std::vector<const TopFlows::Way*> like;
    for (const TopFlows::Way* way : led) {
      if (way->estimate > 0.7 * trips && way->estimate < 1.4 * trips) like.push_back(way);
    }
    constexpr std::size_t kLeast = 3, kMost = 15;
    if (like.size() < kLeast) return std::nullopt;
    std::vector<double> halves;
    for (std::size_t i = 0; i < std::min(kMost, like.size()); ++i) {
      const Answer answer = ask(flows.query_of(*like[i * like.size() / std::min(kMost, like.size())]));
      halves.push_back((answer.upper - answer.lower) / 2);
    }
    std::nth_element(halves.begin(), halves.begin() + static_cast<std::ptrdiff_t>(halves.size() / 2), halves.end());
    return halves[halves.size() / 2];
  }

  const Release& release_;
  const Domain& domain_;
  std::vector<PlacedStop> stops_;
};

}  // namespace

std::string near_town(const PlanePoint& at) {
  const std::vector<BasemapTown> towns = cut_basemap(world_map(), {at.x - 1, at.y - 0.8, at.x + 1, at.y + 0.8}).towns;
  constexpr const char* kWinds[] = {"E", "NE", "N", "NW", "W", "SW", "S", "SE"};
  const BasemapTown* near = nullptr;
  double least = 80;
  for (const BasemapTown& town : towns) {
    if (const double km = kilometres(at, {town.lon, town.lat}); km < least) least = km, near = &town;
  }
  if (near == nullptr) return "";
  if (least < 1.5) return near->name;
  const double east = (at.x - near->lon) * std::cos(at.y * M_PI / 180), north = at.y - near->lat;
  const auto wind = static_cast<std::size_t>(std::lround(std::atan2(north, east) / (M_PI / 4)) + 8) % 8;
  return fmt::format("{:.0f} km {} of {}", least, kWinds[wind], near->name);
}

Result<StrongFlows> strong_flows(const Release& release, std::size_t most) { return Finder(release).find(most); }

}  // namespace stopover
