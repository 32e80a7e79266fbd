#include "question/request.h"

#include <algorithm>

#include "base/usage_error.h"
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
  if (Status s = check("top", q.top, 1, Question::kMostTop); !s) return s;
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

Result<std::vector<StopRegion>> regions_of(const QueryEngine& engine, const std::vector<StopWhere>& where,
                                           const Request& request, std::vector<std::string>& notes) {
  std::vector<StopRegion> regions;
  for (const StopWhere& at : where) {
    const Result<std::size_t> stop = stop_of(engine.domain(), at.stop);
    if (!stop) return stop.error();
    if (!at.region) continue;
    StopSite site(engine, *stop, *request.zones, notes, request.patience);
    if (Status s = site.place(*at.region); !s) return s.error();
    regions.push_back(site.finish());
  }
  return regions;
}

Result<Asked> ask_where(const QueryEngine& engine, const std::vector<StopWhere>& where, const BoxQuery& within,
                        const Request& request, std::vector<StopRegion>& regions) {
  std::vector<std::string> notes;
  Result<std::vector<StopRegion>> made = regions_of(engine, where, request, notes);
  if (!made) return made.error();
  regions = std::move(*made);
  Result<Asked> asked = engine.ask(within, regions);
  if (!asked) return asked;
  asked->notes.insert(asked->notes.begin(), notes.begin(), notes.end());
  return asked;
}

}  // namespace

bool Request::has_region(std::size_t stop) const {
  return std::any_of(regions.begin(), regions.end(), [&](const StopRegion& r) { return r.stop == stop; });
}

Result<Request> Request::make(const QueryEngine& engine, const Question& q, const Patience& patience) {
  const Domain& domain = engine.domain();
  if (Status s = check_numbers(q); !s) return s.error();
  Request request;
  request.ask = q.ask;
  request.options.level = q.level;
  request.options.estimates = q.estimates;
  request.zones = q.zones ? q.zones : std::make_shared<const Zones>();
  request.top = q.top;
  request.tiles = q.tiles;
  request.overlaps = q.overlaps;
  request.together = q.together;
  request.patience = patience;
  if (Status s = look_up_stops(domain, q, request); !s) return s.error();
  const Result<BoxQuery> box = box_of(domain, q);
  if (!box) return box.error();
  request.box = *box;
  Result<Asked> asked = ask_where(engine, q.where, request.box, request, request.regions);
  if (!asked) return asked.error();
  request.asked = std::move(*asked);
  if (q.of) {
    std::vector<StopRegion> unused;
    Result<Asked> base = ask_where(engine, *q.of, BoxQuery::whole(domain), request, unused);
    if (!base) return base.error();
    request.of = std::move(*base);
  }
  return request;
}

}  // namespace stopover
