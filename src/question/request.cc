#include "question/request.h"

#include <algorithm>

#include "base/usage_error.h"
#include "question/indicator.h"
#include "question/region_kind.h"
#include "question/stop_site.h"

namespace stopover {
namespace {

Status check_numbers(const Question& q) {
  if (Status s = check_level(q.level); !s) return s;
  const auto check = [](const char* name, std::size_t value, std::size_t least, std::size_t most) -> Status {
    if (value >= least && value <= most) return {};
    return usage_error("\"" + std::string(name) + "\" is " + std::to_string(value) +
                       "\n  It must be a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                       ".");
  };
  if (Status s = check("top", q.top.value_or(1), 1, Question::kMostTop); !s) return s;
  return check("tiles", q.tiles, 0, Question::kMostTiles);
}

Status look_up_stops(const Domain& domain, const Question& q, Request& request) {
  for (const std::string& name : q.stops) {
    const Result<std::size_t> stop = stop_of(domain, name);
    if (!stop) return stop.error();
    if (std::find(request.stops.begin(), request.stops.end(), *stop) != request.stops.end()) {
      return usage_error("\"stops\" names " + name + " twice");
    }
    request.stops.push_back(*stop);
  }
  request.to = domain.stops().size() - 1;
  const auto look_up = [&](const std::optional<std::string>& name, auto& at) -> Status {
    if (!name) return {};
    const Result<std::size_t> stop = stop_of(domain, *name);
    if (!stop) return stop.error();
    at = *stop;
    return {};
  };
  if (Status s = look_up(q.given, request.given); !s) return s;
  if (Status s = look_up(q.from, request.from); !s) return s;
  if (Status s = look_up(q.to, request.to); !s) return s;
  if (q.ask == Ask::matrix && request.from == request.to) {
    return usage_error("a matrix goes from one stop to another, not from " + domain.stops()[request.from].name +
                       " to itself");
  }
  return {};
}

Result<BoxQuery> box_of(const Domain& domain, const Question& q) {
  BoxQuery box = BoxQuery::whole(domain);
  if (q.box) {
    const Result<BoxQuery> part = parse_box(domain, *q.box);
    if (!part) return part;
    box = *part;
  }
  if (q.range) {
    const Result<BoxQuery> part = parse_range(domain, *q.range);
    if (!part) return part;
    box = intersect(box, *part);
  }
  return box;
}

// Facts of the regions that a question names, and the sums they make.
class FactSums {
 public:
  FactSums(const QueryEngine& engine, const Request& request) : engine_(engine), request_(request) {}

  const std::vector<RegionTree>& regions() const { return regions_; }

  // All of `where` holds. A region that stands twice at a stop is one fact.
  Result<Indicator> where(const std::vector<StopWhere>& where) {
    Indicator all = Indicator::all();
    for (const StopWhere& at : where) {
      const Result<std::size_t> stop = stop_of(engine_.domain(), at.stop);
      if (!stop) return stop.error();
      if (at.region) all = all * of_region(*stop, *at.region);
    }
    return all;
  }

  // In the region at one stop at least: not outside of it at all of them.
  Result<Indicator> any_stop(const RegionTree& region) {
    const Result<std::vector<std::size_t>> stops = stops_with(region);
    if (!stops) return stops.error();
    Indicator none = Indicator::all();
    for (const std::size_t stop : *stops) none = none * of_region(stop, region).inverse();
    return none.inverse();
  }

  // In the regions one after the other, each at a later stop than the one before. Of all ways to find them the first is
  // taken: up to stop i1 not in region 1, there in it, then not in region 2 up to i2, and so on. These exclude each
  // other, so that they add up.
  Result<Indicator> in_order(const std::vector<RegionTree>& chain) {
    std::vector<Indicator> ways(chain.size() + 1);  // by how many regions have been found
    ways[0] = Indicator::all();
    std::vector<std::vector<std::size_t>> stops;
    for (const RegionTree& region : chain) {
      Result<std::vector<std::size_t>> found = stops_with(region);
      if (!found) return found.error();
      stops.push_back(std::move(*found));
    }
    for (std::size_t stop = 0; stop < engine_.domain().stops().size(); ++stop) {
      // From the end: a stop counts for one region only.
      for (std::size_t i = chain.size(); i-- > 0;) {
        if (std::find(stops[i].begin(), stops[i].end(), stop) == stops[i].end()) continue;
        const Indicator in = of_region(stop, chain[i]);
        ways[i + 1] = ways[i + 1] + ways[i] * in;
        ways[i] = ways[i] * in.inverse();
      }
    }
    return ways.back();
  }

  // The places of all its products.
  Result<RequestSum> placed(const Indicator& indicator, const BoxQuery& within) const {
    if (indicator.too_large()) {
      return usage_error("the question has too many parts to be put together\n  At most " +
                         std::to_string(Indicator::kMost) +
                         " combinations of regions and stops: join areas to one, or ask in several questions.");
    }
    RequestSum sum;
    const bool single = indicator.terms().size() == 1;
    for (const auto& [product, coefficient] : indicator.terms()) {
      if (request_.patience.lost()) return Patience::error();
      RequestTerm term;
      term.sign = coefficient;
      for (const Indicator::Fact& fact : product) term.facts[fact.stop].push_back(regions_[fact.region]);
      std::vector<std::string> notes;
      for (const auto& [stop, facts] : term.facts) {
        Result<StopRegion> region = place(stop, facts, notes);
        if (!region) return region.error();
        term.regions.push_back(std::move(*region));
      }
      Result<Asked> asked = engine_.ask(within, term.regions);
      if (!asked) return asked.error();
      // What is cut with another region may well be empty: only what was named is spoken of.
      if (single || product.size() == 1) {
        sum.notes.insert(sum.notes.end(), notes.begin(), notes.end());
        sum.notes.insert(sum.notes.end(), asked->notes.begin(), asked->notes.end());
      }
      sum.terms.push_back(std::move(term));
      sum.selection.terms.push_back({static_cast<double>(coefficient), std::move(asked->query)});
    }
    return sum;
  }

  Result<StopRegion> place(std::size_t stop, const std::vector<RegionTree>& facts,
                           std::vector<std::string>& notes) const {
    StopSite site(engine_, stop, *request_.zones, notes, request_.patience);
    for (const RegionTree& fact : facts) {
      if (Status s = site.place(fact); !s) return s.error();
    }
    return site.finish();
  }

 private:
  // Areas are joined on the map, exactly; what is none by its facts.
  bool is_area(std::size_t stop, const RegionTree& region) const {
    if (region.node == RegionTree::Node::leaf) {
      const bool label = region.kind->name == "zone" && request_.zones->empty();
      return region.kind->area != nullptr && !label && (engine_.map_axes(stop) || engine_.zone_axis(stop) != kMaxAxes);
    }
    return !region.parts.empty() && std::all_of(region.parts.begin(), region.parts.end(),
                                                [&](const RegionTree& part) { return is_area(stop, part); });
  }

  Indicator of_region(std::size_t stop, const RegionTree& region) {
    if (region.node == RegionTree::Node::leaf) return Indicator::fact({stop, number_of(region)});
    if (region.node != RegionTree::Node::all_of && is_area(stop, region)) {
      // Where the map cannot join them exactly, facts can.
      std::vector<std::string> unused;
      if (place(stop, {region}, unused)) return Indicator::fact({stop, number_of(region)});
    }
    Indicator all = Indicator::all();
    for (std::size_t i = 0; i < region.parts.size(); ++i) {
      const Indicator part = of_region(stop, region.parts[i]);
      const bool inverse =
          region.node == RegionTree::Node::any_of || (region.node == RegionTree::Node::but_not && i > 0);
      all = all * (inverse ? part.inverse() : part);
    }
    return region.node == RegionTree::Node::any_of ? all.inverse() : all;
  }

  std::size_t number_of(const RegionTree& region) {
    const auto at = std::find(regions_.begin(), regions_.end(), region);
    if (at != regions_.end()) return static_cast<std::size_t>(at - regions_.begin());
    regions_.push_back(region);
    return regions_.size() - 1;
  }

  // The stops that can be in it: a purpose is at none of the places.
  Result<std::vector<std::size_t>> stops_with(const RegionTree& region) {
    std::vector<std::size_t> stops;
    std::optional<Error> first;
    for (std::size_t stop = 0; stop < engine_.domain().stops().size(); ++stop) {
      const Indicator here = of_region(stop, region);
      const Result<RequestSum> made = placed(here, BoxQuery::whole(engine_.domain()));
      if (made) {
        stops.push_back(stop);
      } else if (!first) {
        first = made.error();
      }
    }
    if (stops.empty()) return *first;
    return stops;
  }

  const QueryEngine& engine_;
  const Request& request_;
  std::vector<RegionTree> regions_;
};

}  // namespace

std::pair<std::size_t, std::size_t> part_axes(const QueryEngine& engine, std::size_t stop) {
  if (const auto axes = engine.map_axes(stop)) return *axes;
  for (const std::size_t axis : engine.domain().stops()[stop].axes) {
    if (engine.domain().axis(axis).kind == AxisKind::zone) return {axis, kMaxAxes};
  }
  return engine.plane_axes(stop);
}

bool on_plane(const QueryEngine& engine, const StopRegion& region) {
  if (region.shape || region.cells) return true;
  const auto [x, y] = part_axes(engine, region.stop);
  return region.lines.contains(x) || region.lines.contains(y) || region.spans.contains(x) || region.spans.contains(y);
}

Result<Selection> without_places(const QueryEngine& engine, const Request& request,
                                 const std::vector<std::size_t>& stops) {
  Selection rest;
  for (std::size_t t = 0; t < request.asked.terms.size(); ++t) {
    std::vector<StopRegion> regions = request.asked.terms[t].regions;
    bool changed = false;
    for (StopRegion& region : regions) {
      const bool free = std::find(stops.begin(), stops.end(), region.stop) != stops.end();
      if (!free || !on_plane(engine, region)) continue;
      const auto [x, y] = part_axes(engine, region.stop);
      region.shape.reset();
      region.cells.reset();
      for (const std::size_t axis : {x, y}) {
        region.lines.erase(axis);
        region.spans.erase(axis);
      }
      changed = true;
    }
    if (!changed) {
      rest.terms.push_back(request.asked.selection.terms[t]);
      continue;
    }
    Result<Asked> asked = engine.ask(request.box, regions);
    if (!asked) return asked.error();
    rest.terms.push_back({request.asked.terms[t].sign, std::move(asked->query)});
  }
  return rest;
}

Result<Request> Request::make(const QueryEngine& engine, const Question& q, const Patience& patience) {
  const Domain& domain = engine.domain();
  if (Status s = check_numbers(q); !s) return s.error();
  Request request;
  request.ask = q.ask;
  request.options.level = q.level;
  request.options.estimates = q.estimates;
  request.options.in_common = q.in_common;
  if (q.together) request.options.together = std::max<std::size_t>(1, q.periods);
  request.zones = q.zones ? q.zones : std::make_shared<const Zones>();
  request.top = q.top.value_or(Question::kUsualTop);
  request.rows = q.top.value_or(0);
  request.tiles = q.tiles;
  request.overlaps = q.overlaps;
  request.together = q.together;
  request.patience = patience;
  if (Status s = look_up_stops(domain, q, request); !s) return s.error();
  const Result<BoxQuery> box = box_of(domain, q);
  if (!box) return box.error();
  request.box = *box;
  FactSums sums(engine, request);
  Result<Indicator> all = sums.where(q.where);
  if (!all) return all.error();
  request.bound.assign(domain.stops().size(), false);
  for (const auto& [product, coefficient] : all->terms()) {
    for (const Indicator::Fact& fact : product) {
      std::vector<std::string> unused;
      const Result<StopRegion> region = sums.place(fact.stop, {sums.regions()[fact.region]}, unused);
      if (!region) return region.error();
      if (on_plane(engine, *region)) request.bound[fact.stop] = true;
    }
  }
  const auto also = [&](Result<Indicator> made) -> Status {
    if (!made) return made.error();
    *all = *all * *made;
    return {};
  };
  for (const RegionTree& region : q.any_stop) {
    if (Status s = also(sums.any_stop(region)); !s) return s.error();
  }
  for (const RegionTree& region : q.no_stop) {
    Result<Indicator> any = sums.any_stop(region);
    if (!any) return any.error();
    if (Status s = also(any->inverse()); !s) return s.error();
  }
  if (!q.in_order.empty()) {
    if (Status s = also(sums.in_order(q.in_order)); !s) return s.error();
  }
  std::optional<Indicator> second;
  if (q.ask == Ask::share || q.minus) {
    const Result<Indicator> named = sums.where(q.minus ? *q.minus : q.of.value_or(std::vector<StopWhere>()));
    if (!named) return named.error();
    second = *named;
    // The part of a share lies in its whole, whoever asks.
    if (q.ask == Ask::share) *all = *all * *second;
  }
  Result<RequestSum> asked = sums.placed(*all, request.box);
  if (!asked) return asked.error();
  request.asked = std::move(*asked);
  if (!second) return request;
  Result<RequestSum> placed = sums.placed(*second, q.minus ? request.box : BoxQuery::whole(domain));
  if (!placed) return placed.error();
  // What a share's part and whole have in common is the part.
  Result<RequestSum> both = q.minus ? sums.placed(*all * *second, request.box) : request.asked;
  if (!both) return both.error();
  request.pair = {request.asked.selection, std::move(placed->selection), std::move(both->selection)};
  request.asked.notes.insert(request.asked.notes.end(), placed->notes.begin(), placed->notes.end());
  return request;
}

}  // namespace stopover
