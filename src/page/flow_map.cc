#include "page/flow_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "explore/top_flows.h"
#include "query/answerer.h"

namespace stopover {
namespace {

// The cells of a square along axis `i` of its stop: 0 across, 1 up.
Interval side_of(std::size_t square, std::size_t parts, std::size_t i, const Axis& axis) {
  const std::size_t at = i == 0 ? square % parts : square / parts;
  return TopFlows::part(static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(parts), axis.cells);
}

void set_square(BoxQuery& query, const Domain& domain, std::size_t stop, std::size_t square, std::size_t parts) {
  const std::vector<std::size_t>& axes = domain.stops()[stop].axes;
  for (std::size_t i = 0; i < 2; ++i) {
    const Interval side = side_of(square, parts, i, domain.axis(axes[i]));
    query.lo[axes[i]] = side.lo;
    query.hi[axes[i]] = side.hi;
  }
}

// The same quarter, or one beside or across the corner.
bool touch(std::size_t a, std::size_t b, std::size_t zones) {
  const auto near = [](std::size_t i, std::size_t j) { return i <= j + 1 && j <= i + 1; };
  return near(a % zones, b % zones) && near(a / zones, b / zones);
}

// A line that can be seen: no quarter twice, and it ends away from where it began.
bool can_be_drawn(const std::vector<std::uint32_t>& way, std::size_t zones) {
  const bool again = std::any_of(way.begin(), way.end(),
                                 [&](std::uint32_t zone) { return std::count(way.begin(), way.end(), zone) > 1; });
  return !again && (way.size() < 2 || !touch(way.front(), way.back(), zones));
}

std::vector<std::vector<std::size_t>> largest_flows(const Domain& domain, const BoxIndex& index, std::size_t zones,
                                                    std::size_t most) {
  constexpr std::size_t kQuestions = 500;  // between looks at what was found
  std::vector<TopFlows::MapStop> stops;
  for (const Stop& stop : domain.stops()) {
    const std::size_t x = stop.axes[0], y = stop.axes[1];
    stops.push_back({x, y, TopFlows::board(domain, x, y, static_cast<std::uint32_t>(zones))});
  }
  TopFlows flows(domain, index, std::move(stops), RegionQuery::of(BoxQuery::whole(domain)));
  std::vector<std::vector<std::size_t>> ways;
  std::size_t seen = 0;
  for (bool more = true; more && ways.size() < most;) {
    more = flows.search(kQuestions);
    for (; seen < flows.found().size() && ways.size() < most; ++seen) {
      const std::vector<std::uint32_t>& way = flows.found()[seen].places;
      if (can_be_drawn(way, zones)) ways.emplace_back(way.begin(), way.end());
    }
  }
  return ways;
}

}  // namespace

std::string zone_name(std::size_t zone, std::size_t zones) {
  return fmt::format("{}{}", static_cast<char>('A' + zone % zones), zone / zones + 1);
}

std::string flow_box(const Flow& flow, std::size_t zones, const Domain& domain) {
  std::string text;
  for (std::size_t s = 0; s < flow.zones.size(); ++s) {
    const std::vector<std::size_t>& axes = domain.stops()[s].axes;
    for (std::size_t i = 0; i < 2; ++i) {
      const Interval side = side_of(flow.zones[s], zones, i, domain.axis(axes[i]));
      text += fmt::format("{}{}={}:{}", text.empty() ? "" : ",", domain.axis(axes[i]).name, side.lo, side.hi);
    }
  }
  return text;
}

Result<FlowMap> ask_flows(const Release& release, std::size_t zones, std::size_t raster, std::size_t most_flows) {
  const Domain& domain = release.domain;
  const Result<BoxIndex> index = BoxIndex::make(release);
  if (!index) return index.error();
  FlowMap map;
  map.zones = zones;
  map.raster = raster;
  const AnswerOptions quick{.intervals = false};
  Answerer ask(*index, quick);
  for (std::size_t s = 0; s < domain.stops().size(); ++s) {
    map.stops.push_back(domain.stops()[s].name);
    std::vector<double>& density = map.density.emplace_back();
    for (std::size_t i = 0; i < raster * raster; ++i) {
      BoxQuery box = BoxQuery::whole(domain);
      set_square(box, domain, s, i, raster);
      density.push_back(ask(box).estimate);
    }
  }

  for (const std::vector<std::size_t>& way : largest_flows(domain, *index, zones, most_flows)) {
    BoxQuery box = BoxQuery::whole(domain);
    for (std::size_t s = 0; s < way.size(); ++s) set_square(box, domain, s, way[s], zones);
    map.flows.push_back({way, answer(*index, box, {})});
  }
  return map;
}

}  // namespace stopover
