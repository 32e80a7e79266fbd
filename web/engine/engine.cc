// The query engine as a WebAssembly module: what web/src/engine.ts calls. A thin face over explore, query and question;
// nothing is computed here.
//
// An interval is two pairs: what the noise alone leaves open, and what is likely where the release has learned
// that, else the noise's again.
//
// Bytes go in through engine_alloc'd memory and come out in one buffer that holds the last result (engine_out,
// engine_out_size). Every call returns 0, or -1 with an error text in that buffer. Releases are numbered from 0 in the
// order they were loaded. One thread.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/field_words.h"
#include "explore/release_pack.h"
#include "explore/stop_cells.h"
#include "explore/top_flows.h"
#include "query/answerer.h"
#include "query/query_engine.h"
#include "question/question_json.h"

namespace stopover {
namespace {

struct Loaded {
  Release release;
  QueryEngine engine;
};

struct Engine {
  std::vector<std::unique_ptr<Loaded>> releases;
  std::optional<TopFlows> flows;
  std::uint32_t searched = 0;  // the release of `flows`
  std::string out;
};

Engine& engine() {
  static Engine instance;
  return instance;
}

int fail(const std::string& message) {
  engine().out = in_words_of(Face::json, message);
  return -1;
}

void put(double value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  engine().out.append(bytes, sizeof value);
}

void put_intervals(const Answer& answer) {
  put(answer.noise_lower);
  put(answer.noise_upper);
  put(answer.calibrated ? answer.lower : answer.noise_lower);
  put(answer.calibrated ? answer.upper : answer.noise_upper);
}

Loaded* loaded(std::uint32_t number) {
  return number < engine().releases.size() ? engine().releases[number].get() : nullptr;
}

// The region of a question.
Result<RegionQuery> region_of(const Loaded& at, std::string_view question) {
  const Result<Question> read = question_of_json(question);
  if (!read) return read.error();
  Result<Asked> asked = asked_of(at.engine, *read);
  if (!asked) return asked.error();
  return std::move(asked->query);
}

// `edges`: x.lo, x.hi, y.lo, y.hi in cells.
BoxQuery rectangle(const Domain& domain, std::size_t x, std::size_t y, const double* edges) {
  BoxQuery box = BoxQuery::whole(domain);
  box.lo[x] = edges[0];
  box.hi[x] = edges[1];
  box.lo[y] = edges[2];
  box.hi[y] = edges[3];
  return box;
}

}  // namespace
}  // namespace stopover

using namespace stopover;

#define EXPORT(name) extern "C" __attribute__((export_name(#name)))

EXPORT(engine_alloc) void* engine_alloc(std::uint32_t size) { return std::malloc(size); }
EXPORT(engine_free) void engine_free(void* memory) { std::free(memory); }
EXPORT(engine_out) const char* engine_out() { return engine().out.data(); }
EXPORT(engine_out_size) std::uint32_t engine_out_size() { return static_cast<std::uint32_t>(engine().out.size()); }

// A packed release; its number is how many were loaded before.
EXPORT(engine_load) int engine_load(const char* bytes, std::uint32_t size) {
  Result<Release> release = unpack_release(std::string_view(bytes, size));
  if (!release) return fail(release.error().message);
  Result<QueryEngine> made = QueryEngine::make(*release);
  if (!made) return fail(made.error().message);
  engine().releases.push_back(std::make_unique<Loaded>(Loaded{std::move(*release), std::move(*made)}));
  engine().out.clear();
  return 0;
}

// A question as JSON; out: its reply as JSON. `other`: the release it is compared with, or its own number.
EXPORT(engine_ask)
int engine_ask(std::uint32_t release, std::uint32_t other, const char* question, std::uint32_t size) {
  Loaded* at = loaded(release);
  Loaded* beside = loaded(other);
  if (at == nullptr || beside == nullptr) return fail("no such release");
  // A page stands still while it answers.
  Patience patience;
  patience.answers = 40'000;
  Result<std::string> reply =
      ask_question(at->engine, std::string_view(question, size), beside == at ? nullptr : &beside->engine, patience);
  if (!reply) return fail(reply.error().message);
  engine().out = std::move(*reply);
  return 0;
}

// Out, of every zone of a release: longitude, latitude, number of rings; then of each ring: number of corners, and the
// longitude and latitude of each. Nothing where the release has no zones or only names.
EXPORT(engine_zones) int engine_zones(std::uint32_t release) {
  Loaded* at = loaded(release);
  if (at == nullptr) return fail("no such release");
  engine().out.clear();
  const ZoneSet* zones = at->release.domain.zones();
  if (zones == nullptr || !zones->has_places()) return 0;
  for (const ZoneRecord& zone : zones->all()) {
    std::size_t rings = 0;
    for (const std::vector<Ring>& polygon : zone.polygons) rings += polygon.size();
    put(zone.place.x);
    put(zone.place.y);
    put(static_cast<double>(rings));
    for (const std::vector<Ring>& polygon : zone.polygons) {
      for (const Ring& ring : polygon) {
        put(static_cast<double>(ring.size()));
        for (const PlanePoint& corner : ring) {
          put(corner.x);
          put(corner.y);
        }
      }
    }
  }
  return 0;
}

// The question, narrowed to rectangles of two axes (or to ranges of one, given twice): `rects` has x.lo, x.hi, y.lo,
// y.hi in cells. Out, a rectangle: estimate, and its intervals if they are asked for.
EXPORT(engine_boxes)
int engine_boxes(std::uint32_t release, const char* question, std::uint32_t size, std::uint32_t x, std::uint32_t y,
                 const double* rects, std::uint32_t boxes, int intervals, double level) {
  Loaded* at = loaded(release);
  const std::size_t d = at == nullptr ? 0 : at->release.domain.d();
  if (x >= d || y >= d || !check_level(level)) return fail("no such release, axis or level");
  Result<RegionQuery> region = region_of(*at, std::string_view(question, size));
  if (!region) return fail(region.error().message);
  Answerer ask(at->engine.index(), {.level = level, .intervals = intervals != 0});
  const BoxQuery whole = region->box;
  engine().out.clear();
  engine().out.reserve(boxes * std::size_t{40});
  for (std::uint32_t i = 0; i < boxes; ++i) {
    region->box = intersect(whole, rectangle(at->release.domain, x, y, rects + 4 * std::size_t{i}));
    const Answer answer = ask(*region);
    put(answer.estimate);
    if (intervals != 0) put_intervals(answer);
  }
  return 0;
}

// Out: 1 if the cells are the release's own; then x.lo, x.hi, y.lo, y.hi of every cell.
EXPORT(engine_cells) int engine_cells(std::uint32_t release, std::uint32_t x, std::uint32_t y, std::uint32_t most) {
  Loaded* at = loaded(release);
  if (at == nullptr || x >= at->release.domain.d() || y >= at->release.domain.d() || x == y) return fail("no such map");
  const StopCells cells = stop_cells(at->release, at->engine.index(), x, y, most);
  engine().out.clear();
  put(cells.own ? 1 : 0);
  for (const StopCells::Cell& cell : cells.cells) {
    put(cell.x.lo);
    put(cell.x.hi);
    put(cell.y.lo);
    put(cell.y.hi);
  }
  return 0;
}

// `stops`: four numbers of every stop whose places vary: x, y (x twice where its zones are the release's own), how many
// of `rects` (as engine_boxes has them) are its places, and how many lines of `areas`: each a question that asks for
// the area at that stop. Neither: its places are the release's own zones. The question says what must hold besides.
EXPORT(engine_flows)
int engine_flows(std::uint32_t release, const char* question, std::uint32_t size, const std::uint32_t* stops,
                 std::uint32_t count, const double* rects, const char* areas, std::uint32_t areas_size) {
  Loaded* at = loaded(release);
  if (at == nullptr || count > kMaxAxes / 2) return fail("no such release, or too many stops");
  const Domain& domain = at->release.domain;
  std::string_view lines(areas, areas_size);
  std::vector<TopFlows::MapStop> maps;
  for (std::uint32_t s = 0; s < count; ++s, stops += 4) {
    TopFlows::MapStop& map = maps.emplace_back(TopFlows::MapStop{stops[0], stops[1], {}});
    if (map.x >= domain.d() || map.y >= domain.d()) return fail("no such axis");
    for (std::uint32_t i = 0; i < stops[2]; ++i, rects += 4)
      map.places.push_back(RegionQuery::of(rectangle(domain, map.x, map.y, rects)));
    for (std::uint32_t i = 0; i < stops[3]; ++i) {
      const std::string_view line = lines.substr(0, lines.find('\n'));
      lines.remove_prefix(std::min(lines.size(), line.size() + 1));
      Result<RegionQuery> place = region_of(*at, line);
      if (!place) return fail(place.error().message);
      map.places.push_back(std::move(*place));
    }
    if (stops[2] == 0 && stops[3] == 0) map.places = TopFlows::cells(domain, map.x);
  }
  Result<RegionQuery> region = region_of(*at, std::string_view(question, size));
  if (!region) return fail(region.error().message);
  engine().flows.emplace(domain, at->engine.index(), std::move(maps), std::move(*region));
  engine().searched = release;
  engine().out.clear();
  return 0;
}

// Asks `questions` more boxes. Out: 1 if there may be more; then estimate and places of every flow found so far.
EXPORT(engine_flows_search) int engine_flows_search(std::uint32_t questions) {
  if (!engine().flows) return fail("no search was begun");
  const bool more = engine().flows->search(questions);
  engine().out.clear();
  put(more ? 1 : 0);
  for (const TopFlows::Way& way : engine().flows->found()) {
    put(way.estimate);
    for (const std::uint32_t place : way.places) put(place);
  }
  return 0;
}

// Out: the intervals of the first `most` flows found.
EXPORT(engine_flows_intervals) int engine_flows_intervals(std::uint32_t most, double level) {
  if (!engine().flows || !check_level(level)) return fail("no search was begun");
  Answerer ask(loaded(engine().searched)->engine.index(), {.level = level});
  engine().out.clear();
  for (std::size_t i = 0; i < most && i < engine().flows->found().size(); ++i) {
    put_intervals(ask(engine().flows->query_of(engine().flows->found()[i])));
  }
  return 0;
}
