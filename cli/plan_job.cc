#include "cli/plan_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/split.h"
#include "cli/app.h"
#include "ingest/trip_request.h"

namespace stopover {
namespace {

Error usage(std::string message) { return {Failure::usage, std::move(message)}; }

std::string cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/stopover/plan";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/stopover/plan";
  return "";
}

Result<double> positive(std::string_view flag, const std::string& text, double most) {
  const Result<double> value = parse_decimal(flag, text);
  if (!value) return value.error();
  if (*value > 0 && *value <= most) return value;
  return usage(fmt::format("{} must be above 0 and at most {}, not \"{}\"", flag, most, text));
}

Status read_extent(const PlanFlags& o, MapSize& map) {
  const std::vector<std::string> sides = split(o.extent, 'x');
  if (sides.size() > 2) return usage(fmt::format("--extent-km must be one or two lengths such as 70 or 70x50, not \"{}\"", o.extent));
  const Result<double> width = positive("--extent-km", sides[0], 40'000);
  if (!width) return width.error();
  const Result<double> height = positive("--extent-km", sides.back(), 40'000);
  if (!height) return height.error();
  map.width = *width;
  map.height = *height;
  return {};
}

// The box's sides in km along its middle parallel and a meridian.
Status read_bbox(const PlanFlags& o, MapSize& map) {
  if (o.bbox == "auto") {
    return Error{Failure::privacy, "the bounding box must be declared, not taken from the data.\n  Use --bbox W,S,E,N or --extent-km"};
  }
  const Result<BoundingBox> box = parse_bounding_box(o.bbox);
  if (!box) return box.error();
  const auto [west, south, east, north] = *box;
  constexpr double kDegree = 111.195;  // km, on the mean sphere
  map.width = (east - west) * kDegree * std::cos((south + north) / 2 * std::acos(-1) / 180);
  map.height = (north - south) * kDegree;
  return {};
}

Status read_map(const PlanFlags& o, PlanRequest& request, bool& in_km) {
  const Result<std::vector<std::uint64_t>> grid = Domain::parse_shape(o.grid);
  if (!grid || grid->size() != 2 || (*grid)[0] > (1 << 20) || (*grid)[1] > (1 << 20)) {
    return usage(fmt::format("--grid must be columns x rows of a stop's map such as 1000x1000, not \"{}\"", o.grid));
  }
  request.map.columns = static_cast<std::uint32_t>((*grid)[0]);
  request.map.rows = static_cast<std::uint32_t>((*grid)[1]);
  in_km = !o.extent.empty() || !o.bbox.empty();
  if (!o.extent.empty() && !o.bbox.empty()) return usage("--extent-km and --bbox say the same thing\n  Give one of them.");
  if (!o.extent.empty()) return read_extent(o, request.map);
  if (!o.bbox.empty()) return read_bbox(o, request.map);
  return {};
}

Status read_unit(const PlanFlags& o, PlanRequest& request) {
  const Result<Unit> unit = parse_unit(o.unit.empty() ? (o.k.empty() && !request.people ? "trip" : "user") : o.unit);
  if (!unit) return unit.error();
  request.unit = *unit;
  if (*unit == Unit::trip && !o.k.empty()) return usage("--max-trips-per-user goes with --unit user");
  if (*unit == Unit::trip && request.people) return usage("--people goes with --unit user");
  request.choose_k = request.people && o.k.empty();
  if (*unit == Unit::user && o.k.empty() && !request.people) {
    return usage("--unit user needs --max-trips-per-user K\n  Or --people P --trips-per-person T, for a comparison of several K.");
  }
  if (o.k.empty()) return {};
  const Result<std::uint64_t> k = parse_whole_number("--max-trips-per-user", o.k, 1, 1'000'000);
  if (!k) return k.error();
  request.k = static_cast<std::uint32_t>(*k);
  return {};
}

// Trips, or people and how many trips each has on average.
Status read_trips(const PlanFlags& o, PlanRequest& request) {
  if (o.people.empty() != o.trips_per_person.empty()) return usage("--people P and --trips-per-person T go together");
  if (o.n.empty() == o.people.empty()) {
    return usage("say how much data is expected: --n TRIPS, or --people P --trips-per-person T\n  Public guesses, not counts of the data.");
  }
  if (!o.n.empty()) {
    const Result<std::uint64_t> n = parse_whole_number("--n", o.n, 1, kMaxPlannedTrips);
    if (!n) return n.error();
    request.trips = *n;
    return {};
  }
  const Result<std::uint64_t> people = parse_whole_number("--people", o.people, 1, kMaxPlannedTrips);
  if (!people) return people.error();
  const Result<double> mean = parse_decimal("--trips-per-person", o.trips_per_person);
  if (!mean) return mean.error();
  if (!(*mean >= 1 && *mean <= 1e6 && static_cast<double>(*people) * *mean <= static_cast<double>(kMaxPlannedTrips))) {
    return usage(fmt::format("--trips-per-person must be at least 1 and make at most {} trips of all people, not \"{}\"\n  People without a "
                             "trip are not in the data.", kMaxPlannedTrips, o.trips_per_person));
  }
  request.people = PlannedPeople{*people, *mean};
  request.trips = static_cast<std::uint64_t>(std::llround(static_cast<double>(*people) * *mean));
  return {};
}

Result<PlanRequest> read_request(const PlanFlags& o, bool& in_km) {
  PlanRequest request;
  if (Status s = read_trips(o, request); !s) return s.error();
  const Result<std::uint64_t> stops = parse_whole_number("--stops", o.stops, 1, kMaxAxes / 2);
  if (!stops) return stops.error();
  const Result<std::uint64_t> seed = parse_whole_number("--seed", o.seed, 0, UINT64_MAX);
  if (!seed) return seed.error();
  request.stops = *stops;
  request.seed = *seed;
  if (Status s = read_map(o, request, in_km); !s) return s.error();
  if (Status s = read_unit(o, request); !s) return s.error();
  for (const std::string& text : split(o.epsilon, ',')) {
    const Result<Ticks> epsilon = parse_epsilon(text);
    if (!epsilon) return epsilon.error();
    request.epsilons.push_back(*epsilon);
  }
  request.mechanisms = split(o.mechanism, ',');
  const double side = std::min(request.map.width, request.map.height);
  if (o.queries.empty()) request.sides = {side / 50, side / 20, side / 10};
  for (const std::string& text : o.queries.empty() ? std::vector<std::string>() : split(o.queries, ',')) {
    const Result<double> value = positive("--query-side", text, side);
    if (!value) return value.error();
    request.sides.push_back(*value);
  }
  if (request.epsilons.size() > 12 || request.sides.size() > 3) {
    return usage("a plan takes at most 12 epsilons and 3 sides of queries");
  }
  request.simulate = !o.formulas;
  request.refresh = o.refresh;
  return request;
}

}  // namespace

Result<Planned> run_plan(const PlanFlags& flags, const Voice& voice) {
  Planned planned;
  Result<PlanRequest> request = read_request(flags, planned.in_km);
  if (!request) return request.error();
  planned.request = std::move(*request);
  planned.request.threads = voice.threads;
  PlanDoors doors{draw_release_key, cache_folder()};
  doors.phase = voice.phase;
  doors.interrupted = voice.interrupted;
  Result<Plan> plan = make_plan(planned.request, doors);
  voice.pause();
  if (!plan) return plan.error();
  planned.plan = std::move(*plan);
  return planned;
}

}  // namespace stopover
