#include "question/request.h"

#include <algorithm>
#include <array>

#include "question/nearest.h"
#include "question/region.h"

namespace stopover {
namespace {

constexpr std::array<std::string_view, 6> kAsks = {"count", "share", "top", "given", "matrix", "totals"};
const std::vector<std::string>& members() {
  static const std::vector<std::string> all = {"ask",   "where", "box",   "range", "level", "estimates", "zones", "zone_name",
                                               "of",    "stops", "given", "from",  "to",    "top",       "tiles", "overlaps", "together"};
  return all;
}

Error usage(std::string message) { return {Failure::usage, std::move(message)}; }

// A whole number in [least, most].
Result<std::size_t> whole(const char* name, const Json& node, std::size_t least, std::size_t most) {
  const double value = node.is_number() ? node.get<double>() : -1;
  if (value >= static_cast<double>(least) && value <= static_cast<double>(most) &&
      value == static_cast<double>(static_cast<std::size_t>(value))) {
    return static_cast<std::size_t>(value);
  }
  return usage("\"" + std::string(name) + "\" is " + shown(node) + "\n  It must be a whole number from " + std::to_string(least) +
               " to " + std::to_string(most) + ".");
}

Result<std::size_t> stop_in(const QueryEngine& engine, const char* member_name, const Json& node) {
  if (!node.is_string()) return usage("\"" + std::string(member_name) + "\" is " + shown(node) + "\n  It must be a stop's name.");
  return stop_of(engine.domain(), text_of(&node));
}

Status read_numbers(const Json& q, Request& request) {
  if (const Json* node = member(q, "level")) {
    if (!node->is_number()) return usage("\"level\" is " + shown(*node) + "\n  Write for example 0.95.");
    request.options.level = node->get<double>();
    if (Status s = check_level(request.options.level); !s) return s;
  }
  if (const Json* node = member(q, "estimates")) {
    const Result<Estimates> estimates = parse_estimates(node->is_string() ? text_of(node) : shown(*node));
    if (!estimates) return estimates.error();
    request.options.estimates = *estimates;
  }
  if (const Json* node = member(q, "top")) {
    const Result<std::size_t> top = whole("top", *node, 1, 10'000);
    if (!top) return top.error();
    request.top = *top;
  }
  if (const Json* node = member(q, "tiles")) {
    const Result<std::size_t> tiles = whole("tiles", *node, 1, 256);
    if (!tiles) return tiles.error();
    request.tiles = *tiles;
  }
  for (const auto& [name, flag] : {std::pair{"overlaps", &request.overlaps}, std::pair{"together", &request.together}}) {
    const Json* node = member(q, name);
    if (node == nullptr) continue;
    if (!node->is_boolean()) return usage("\"" + std::string(name) + "\" is " + shown(*node) + "\n  It must be true or false.");
    *flag = node->get<bool>();
  }
  return {};
}

Status read_stops(const QueryEngine& engine, const Json& q, Request& request) {
  const std::size_t stops = engine.domain().stops().size();
  if (const Json* node = member(q, "stops")) {
    if (!node->is_array() || node->empty()) return usage("\"stops\" is " + shown(*node) + "\n  It must be a list of stops' names.");
    for (const Json& name : *node) {
      const Result<std::size_t> stop = stop_in(engine, "stops", name);
      if (!stop) return stop.error();
      if (std::find(request.stops.begin(), request.stops.end(), *stop) != request.stops.end()) {
        return usage("\"stops\" names " + text_of(&name) + " twice");
      }
      request.stops.push_back(*stop);
    }
  }
  if (const Json* node = member(q, "given")) {
    const Result<std::size_t> stop = stop_in(engine, "given", *node);
    if (!stop) return stop.error();
    request.given = *stop;
  }
  request.to = stops - 1;
  const auto end = [&](const char* name, std::size_t& at) -> Status {
    const Json* node = member(q, name);
    if (node == nullptr) return {};
    const Result<std::size_t> stop = stop_in(engine, name, *node);
    if (!stop) return stop.error();
    at = *stop;
    return {};
  };
  if (Status s = end("from", request.from); !s) return s;
  if (Status s = end("to", request.to); !s) return s;
  if (request.ask == Ask::matrix && request.from == request.to) {
    return usage("a matrix goes from one stop to another, not from " + engine.domain().stops()[request.from].name + " to itself");
  }
  return {};
}

Result<BoxQuery> box_of(const Domain& domain, const Json& q) {
  BoxQuery box = BoxQuery::whole(domain);
  for (const char* name : {"box", "range"}) {
    const Json* node = member(q, name);
    if (node == nullptr || node->is_null()) continue;
    if (!node->is_string()) return usage("\"" + std::string(name) + "\" is " + shown(*node) + "\n  Write a text such as \"a0=0:16,a2=4:20\".");
    const Result<BoxQuery> part = name[0] == 'b' ? parse_box(domain, text_of(node)) : parse_range(domain, text_of(node));
    if (!part) return part.error();
    box = intersect(box, *part);
  }
  return box;
}

}  // namespace

std::string_view to_string(Ask ask) { return kAsks[static_cast<std::size_t>(ask)]; }

bool Request::has_region(std::size_t stop) const {
  return std::any_of(regions.begin(), regions.end(), [&](const StopRegion& r) { return r.stop == stop; });
}

Result<Request> Request::of_json(const QueryEngine& engine, const Json& q, const Patience& patience) {
  if (!q.is_object()) return usage("the question is " + kind_of(q) + "\n  Write {\"where\": {\"STOP\": region, ...}}.");
  for (const auto& [key, value] : q.items()) {
    if (std::find(members().begin(), members().end(), key) == members().end()) {
      return usage("a question has no member \"" + key + "\"\n  Known are " + list_names(members()) + "." + did_you_mean(key, members()));
    }
  }
  Request request;
  request.patience = patience;
  if (const Json* node = member(q, "ask")) {
    const auto found = std::find(kAsks.begin(), kAsks.end(), node->is_string() ? text_of(node) : std::string());
    if (found == kAsks.end()) {
      const std::vector<std::string> names(kAsks.begin(), kAsks.end());
      return usage("\"ask\" is " + shown(*node) + "\n  It must be one of " + list_names(names) + "." + did_you_mean(text_of(node), names));
    }
    request.ask = static_cast<Ask>(found - kAsks.begin());
  }
  if (Status s = read_numbers(q, request); !s) return s.error();
  if (Status s = read_stops(engine, q, request); !s) return s.error();
  if (const Json* node = member(q, "zones"); node != nullptr && !node->is_null()) {
    Result<Zones> zones = Zones::of_json(*node, "the zones", text_of(member(q, "zone_name")), patience);
    if (!zones) return zones.error();
    request.zones = std::move(*zones);
  }
  const Result<BoxQuery> box = box_of(engine.domain(), q);
  if (!box) return box.error();
  request.box = *box;

  const auto ask = [&](const Json* where, const BoxQuery& within, std::vector<StopRegion>* kept) -> Result<Asked> {
    std::vector<std::string> notes;
    Result<std::vector<StopRegion>> regions = regions_of(engine, where == nullptr ? Json() : *where, request.zones, notes, patience);
    if (!regions) return regions.error();
    Result<Asked> asked = engine.ask(within, *regions);
    if (!asked) return asked;
    asked->notes.insert(asked->notes.begin(), notes.begin(), notes.end());
    if (kept != nullptr) *kept = std::move(*regions);
    return asked;
  };
  Result<Asked> asked = ask(member(q, "where"), request.box, &request.regions);
  if (!asked) return asked.error();
  request.asked = std::move(*asked);
  if (const Json* of = member(q, "of"); of != nullptr && !of->is_null()) {
    Result<Asked> base = ask(of, BoxQuery::whole(engine.domain()), nullptr);
    if (!base) return base.error();
    request.of = std::move(*base);
  }
  return request;
}

}  // namespace stopover
