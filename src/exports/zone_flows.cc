#include "exports/zone_flows.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "base/grouped.h"
#include "question/zone_shares.h"

namespace stopover {
namespace {

constexpr double kOverlap = 0.01;

struct Extent {
  double west = 1e9, south = 1e9, east = -1e9, north = -1e9;
};

Extent extent_of(const Shape& shape) {
  Extent e;
  for (const Ring& ring : shape.rings()) {
    for (const PlanePoint& p : ring) {
      e = {std::min(e.west, p.x), std::min(e.south, p.y), std::max(e.east, p.x), std::max(e.north, p.y)};
    }
  }
  return e;
}

Status check_overlaps(const std::vector<Zone>& zones) {
  std::vector<Extent> extents;
  for (const Zone& zone : zones) extents.push_back(extent_of(zone.shape));
  std::vector<std::size_t> order(zones.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return extents[a].west < extents[b].west; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Extent& a = extents[order[i]];
    for (std::size_t j = i + 1; j < order.size() && extents[order[j]].west < a.east; ++j) {
      const Extent& b = extents[order[j]];
      if (b.south >= a.north || b.north <= a.south) continue;
      const Zone &one = zones[order[i]], &other = zones[order[j]];
      const double shared = area(intersection(one.shape, other.shape));
      const double share = shared / std::min(area(one.shape), area(other.shape));
      if (share <= kOverlap) continue;
      return Error{
          Failure::bad_input,
          fmt::format("zones \"{}\" and \"{}\" overlap by {:.0f} % of the smaller\n  Trips there would be counted "
                      "twice. Mend the file, or say `overlaps` if this is meant.",
                      one.name, other.name, 100 * share)};
    }
  }
  return {};
}

// Of a release of zones: a stop that has none (an hour, a purpose), which is left out.
bool is_no_place(const Domain& domain, std::size_t stop) {
  const std::vector<std::size_t>& axes = domain.stops()[stop].axes;
  return domain.zones() != nullptr && std::none_of(axes.begin(), axes.end(), [&](std::size_t axis) {
    return domain.axis(axis).kind == AxisKind::zone;
  });
}

// How zones lie over those of a release, at one stop.
struct Overlay {
  std::size_t cutting = 0, outside = 0;
};

// A zone at a stop: by its area on the map; where the stop's places are zones themselves, the share of each in it.
Result<Asked> ask_about(const QueryEngine& engine, std::size_t stop, const Zone& zone, Overlay& overlay) {
  StopRegion region;
  region.stop = stop;
  const std::size_t axis = engine.zone_axis(stop);
  if (axis == kMaxAxes) {
    region.shape = zone.shape.rings();
  } else {
    ZoneShares shares = shares_of(*engine.domain().zones(), zone.shape);
    overlay.cutting += shares.cut > 0;
    overlay.outside += shares.touched == 0;
    region.lines.emplace(axis, std::move(shares.line));
  }
  return engine.ask(BoxQuery::whole(engine.domain()), {&region, 1});
}

}  // namespace

Result<ZoneFlows> ZoneFlows::make(const Release& release, const Zones& zones, bool overlaps) {
  if (!overlaps) {
    if (Status s = check_overlaps(zones.all()); !s) return s.error();
  }
  Result<QueryEngine> engine = QueryEngine::make(release);
  if (!engine) return engine.error();
  ZoneFlows flows;
  flows.engine_ = std::make_unique<QueryEngine>(*std::move(engine));
  for (const Zone& zone : zones.all()) flows.names_.push_back(zone.name);
  const Domain& domain = flows.engine_->domain();
  for (std::size_t stop = 0; stop < domain.stops().size(); ++stop) {
    std::vector<Place>& places = flows.places_.emplace_back();
    if (is_no_place(domain, stop)) continue;
    Overlay overlay;
    for (const Zone& zone : zones.all()) {
      Result<Asked> asked = ask_about(*flows.engine_, stop, zone, overlay);
      if (!asked) return asked.error();
      for (const std::string& note : asked->notes) {
        const std::string text = fmt::format("zone {}: {}", zone.name, note);
        if (std::find(flows.notes_.begin(), flows.notes_.end(), text) == flows.notes_.end())
          flows.notes_.push_back(text);
      }
      const bool empty = asked->query.empty() || asked->query.planes.empty();
      places.push_back({std::move(asked->query), empty});
    }
    const std::string& name = domain.stops()[stop].name;
    if (overlay.cutting > 0) {
      flows.notes_.push_back(
          fmt::format("stop {}: {} of {} zones cut zones of the release: of these they take the share of their area",
                      name, grouped(overlay.cutting), grouped(zones.all().size())));
    }
    if (overlay.outside > 0) {
      flows.notes_.push_back(fmt::format("stop {}: {} of {} zones meet no zone of the release: nothing is counted there",
                                         name, grouped(overlay.outside), grouped(zones.all().size())));
    }
  }
  flows.answerer_ = std::make_unique<Answerer>(flows.engine_->index(), AnswerOptions{});
  return flows;
}

Result<ZoneFlows> ZoneFlows::of_own(const Release& release) {
  Result<QueryEngine> engine = QueryEngine::make(release);
  if (!engine) return engine.error();
  ZoneFlows flows;
  flows.engine_ = std::make_unique<QueryEngine>(*std::move(engine));
  const Domain& domain = flows.engine_->domain();
  flows.names_ = domain.zones()->ids();
  flows.own_ = PairEstimates::make(release);
  for (const Stop& stop : domain.stops()) {
    std::vector<Place>& places = flows.places_.emplace_back();
    const auto at = std::find_if(stop.axes.begin(), stop.axes.end(),
                                 [&](std::size_t axis) { return domain.axis(axis).kind == AxisKind::zone; });
    flows.own_axes_.push_back(at == stop.axes.end() ? kMaxAxes : *at);
    for (std::size_t zone = 0; at != stop.axes.end() && zone < flows.names_.size(); ++zone) {
      BoxQuery box = BoxQuery::whole(domain);
      box.lo[*at] = static_cast<double>(zone);
      box.hi[*at] = static_cast<double>(zone) + 1;
      places.push_back({RegionQuery::of(box), false});
    }
  }
  flows.answerer_ = std::make_unique<Answerer>(flows.engine_->index(), AnswerOptions{});
  return flows;
}

Answer ZoneFlows::ask(const RegionQuery& query) { return (*answerer_)(query); }

Status ZoneFlows::narrow(const RegionQuery& filter, const std::vector<std::size_t>& stops) {
  for (const std::size_t stop : stops) {
    for (const Place& place : places_[stop]) {
      for (const Plane& zone : place.query.planes) {
        const auto clash = [&](std::size_t axis) {
          return filter.box.lo[axis] > 0 || filter.box.hi[axis] < engine_->domain().axis(axis).cells;
        };
        if (!clash(zone.x) && (zone.y == kMaxAxes || !clash(zone.y))) continue;
        return Error{Failure::usage,
                     fmt::format("the table runs over the places of {0}, and `stop` names one there\n  Leave it out: "
                                 "choose rows of the table instead. Hours, categories and other stops can be named.",
                                 engine_->domain().stops()[stop].name)};
      }
    }
  }
  filter_ = filter;
  own_.reset();  // which knows no filter
  return {};
}

RegionQuery ZoneFlows::narrowed(RegionQuery query) const {
  if (!filter_) return query;
  const std::vector<Plane> planes = std::move(query.planes);
  const BoxQuery box = query.box;
  query = *filter_;
  query.box = intersect(query.box, box);
  for (const Plane& plane : planes) query.add(plane);
  return query;
}

Answer ZoneFlows::whole() { return ask(narrowed(RegionQuery::of(BoxQuery::whole(engine_->domain())))); }

Answer ZoneFlows::at(std::size_t stop, std::size_t zone) {
  const Place& place = places_[stop][zone];
  return place.empty ? Answer{.level = 0.95} : ask(narrowed(place.query));
}

std::optional<RegionQuery> ZoneFlows::pair(std::size_t from, std::size_t zone_from, std::size_t to,
                                           std::size_t zone_to) const {
  const Place &a = places_[from][zone_from], &b = places_[to][zone_to];
  if (a.empty || b.empty) return std::nullopt;
  RegionQuery query = a.query;
  if (!own_axes_.empty()) query.box = intersect(query.box, b.query.box);
  for (const Plane& plane : b.query.planes) query.add(plane);
  return narrowed(std::move(query));
}

Answer ZoneFlows::between(std::size_t from, std::size_t zone_from, std::size_t to, std::size_t zone_to) {
  const std::optional<RegionQuery> query = pair(from, zone_from, to, zone_to);
  return query ? ask(*query) : Answer{.level = 0.95};
}

std::vector<Answer> ZoneFlows::rows(std::size_t from, std::size_t first, std::size_t last, std::size_t to,
                                    double least) const {
  std::vector<Answer> answers((last - first) * zones(), Answer{.level = 0.95});
  std::vector<double> own;
  if (least > 0 && own_)
    own = own_->rows(own_axes_[from], {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)});
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, answers.size(), 512), [&](const auto& range) {
    Answerer whole(engine_->index(), AnswerOptions{}), bare(engine_->index(), AnswerOptions{.intervals = false});
    for (std::size_t i = range.begin(); i < range.end(); ++i) {
      const std::optional<RegionQuery> query = pair(from, first + i / zones(), to, i % zones());
      if (!query) continue;
      // A table of the busy pairs needs no more than the estimates of the others.
      if (!own.empty()) {
        answers[i].estimate = own[i];
      } else if (least > 0) {
        answers[i] = bare(*query);
      }
      if (least <= 0 || answers[i].estimate >= least * (1 - 1e-9)) answers[i] = whole(*query);
    }
  });
  return answers;
}

Status ZoneFlows::check_pairs(bool drawn) const {
  const std::uint64_t pairs = std::uint64_t{zones()} * zones(), most = drawn ? kMostDrawnPairs : kMostPairs;
  if (pairs <= most) return {};
  return Error{Failure::usage,
               fmt::format("{} zones make {} pairs; at most {} ({:.0f} zones) are {}\n  Join some of them"
                           "{}.",
                           grouped(zones()), grouped(pairs), grouped(most), std::sqrt(static_cast<double>(most)),
                           drawn ? "drawn" : "written", drawn ? ", or leave out `draws`" : "")};
}

std::size_t ZoneFlows::draw_zone(std::size_t stop, std::uint32_t x, std::uint32_t y, NumberSequence& numbers) const {
  double left = -1;
  for (std::size_t zone = 0; zone < places_[stop].size(); ++zone) {
    const Place& place = places_[stop][zone];
    if (place.empty) continue;
    const PlaneSums& sums = *place.query.planes[0].sums;
    if (x < sums.x().lo || x >= sums.x().hi || y < sums.y().lo || y >= sums.y().hi) continue;
    const double weight = sums.area({x, x + 1}, {y, y + 1});
    if (weight <= 0) continue;
    if (left < 0) left = numbers.uniform();
    if (left < weight) return zone;
    left -= weight;
  }
  return zones();
}

std::vector<double> ZoneFlows::count(const SyntheticTrips& trips, std::size_t from, std::size_t to,
                                     NumberSequence& numbers) const {
  std::vector<double> counts(zones() * zones(), 0.0);
  if (!own_axes_.empty()) {
    const std::vector<std::uint32_t>&a = trips.cells[own_axes_[from]], &b = trips.cells[own_axes_[to]];
    for (std::size_t trip = 0; trip < trips.rows(); ++trip) counts[a[trip] * zones() + b[trip]] += 1;
    return counts;
  }
  const std::vector<std::uint32_t> none(trips.rows(), 0);  // where the plane is a line of zones
  const auto axes_of = [&](std::size_t stop) {
    const std::size_t axis = engine_->zone_axis(stop);
    return axis == kMaxAxes ? *engine_->map_axes(stop) : std::pair{axis, kMaxAxes};
  };
  const auto cells = [&](std::size_t axis) -> const std::vector<std::uint32_t>& {
    return axis == kMaxAxes ? none : trips.cells[axis];
  };
  const auto [from_x, from_y] = axes_of(from);
  const auto [to_x, to_y] = axes_of(to);
  for (std::size_t trip = 0; trip < trips.rows(); ++trip) {
    const std::size_t a = draw_zone(from, cells(from_x)[trip], cells(from_y)[trip], numbers);
    const std::size_t b = draw_zone(to, cells(to_x)[trip], cells(to_y)[trip], numbers);
    if (a < zones() && b < zones()) counts[a * zones() + b] += 1;
  }
  return counts;
}

}  // namespace stopover
