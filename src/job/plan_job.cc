#include "job/plan_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/usage_error.h"
#include "job/domain_spec.h"
#include "job/rows_spec.h"

namespace stopover {
namespace {

std::string cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/stopover/plan";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/stopover/plan";
  return "";
}

constexpr double kLongestSide = 40'000;  // km

// The box's sides in km along its middle parallel and a meridian.
void place(const DegreeBox& box, MapSize& map) {
  constexpr double kDegree = 111.195;  // km, on the mean sphere
  map.width = (box.east - box.west) * kDegree * std::cos((box.south + box.north) / 2 * std::acos(-1) / 180);
  map.height = (box.north - box.south) * kDegree;
}

Status check_lengths(std::string_view field, const std::vector<double>& lengths, double most) {
  for (const double length : lengths) {
    if (length > 0 && length <= most) continue;
    return usage_error(fmt::format("`{}` must be above 0 and at most {}, not {}", field, most, length));
  }
  return {};
}

Status set_map(const PlanSpec& spec, MapSize& map) {
  constexpr std::uint32_t kMostCells = 1 << 20;
  if (spec.grid.first > kMostCells || spec.grid.second > kMostCells) {
    return usage_error(fmt::format("`grid` must be columns x rows of a stop's map such as 1000x1000, not {}x{}",
                                   spec.grid.first, spec.grid.second));
  }
  std::tie(map.columns, map.rows) = spec.grid;
  if (!spec.extent_km.empty() && spec.box)
    return usage_error("`extent_km` and `bbox` say the same thing\n  Give one of them.");
  if (spec.extent_km.size() > 2) {
    return usage_error(fmt::format("`extent_km` must be one or two lengths such as 70 or 70x50, not \"{}\"",
                                   fmt::join(spec.extent_km, "x")));
  }
  if (Status s = check_lengths("extent_km", spec.extent_km, kLongestSide); !s) return s;
  if (spec.box) place(*spec.box, map);
  if (!spec.extent_km.empty()) {
    map.width = spec.extent_km.front();
    map.height = spec.extent_km.back();
  }
  return {};
}

Status set_unit(const PlanSpec& spec, PlanRequest& request) {
  const bool bounded = spec.unit.max_trips_per_user.has_value();
  UnitSpec unit = spec.unit;
  if (!unit.unit) unit.unit = bounded || request.people ? Unit::user : Unit::trip;
  request.unit = *unit.unit;
  if (request.unit == Unit::trip && request.people) return usage_error("`people` goes with `unit user`");
  request.choose_k = request.people && !bounded;
  request.k = unit.k();
  if (request.choose_k) return {};
  return unit.check("Or `people P` `trips_per_person T`, for a comparison of several K.");
}

// Trips, or people and how many trips each has on average.
Status set_trips(const PlanSpec& spec, PlanRequest& request) {
  if (spec.people.has_value() != spec.trips_per_person.has_value())
    return usage_error("`people P` and `trips_per_person T` go together");
  if (spec.n.has_value() == spec.people.has_value()) {
    return usage_error(
        "say how much data is expected: `n TRIPS`, or `people P` `trips_per_person T`\n  Public guesses, not counts of "
        "the data.");
  }
  if (spec.n) {
    request.trips = *spec.n;
    return {};
  }
  const double mean = *spec.trips_per_person, trips = static_cast<double>(*spec.people) * mean;
  if (!(mean >= 1 && mean <= 1e6 && trips <= static_cast<double>(kMaxPlannedTrips))) {
    return usage_error(
        fmt::format("`trips_per_person` must be at least 1 and make at most {} trips of all people, not {}\n  People "
                    "without a trip are not in the data.",
                    kMaxPlannedTrips, mean));
  }
  request.people = PlannedPeople{*spec.people, mean};
  request.trips = static_cast<std::uint64_t>(std::llround(trips));
  return {};
}

Status check_series(const PlanSpec& spec) {
  if (!spec.series && (spec.period || spec.per_year || spec.unit.per)) {
    return usage_error(
        fmt::format("`{}` goes with `series N`: how many periods are planned\n  As in `series 12` `period "
                    "month`",
                    spec.period     ? "period"
                    : spec.per_year ? "budget_per_year"
                                    : "unit"));
  }
  if (!spec.series) return {};
  if (!spec.period) return usage_error("`series` needs `period`: day, week, month or quarter");
  const std::string_view kind = to_string(*spec.period);
  if (spec.unit.unit == Unit::user && spec.unit.per != spec.period)
    return usage_error(fmt::format("`unit` with `series` must be trip or user-{}", kind));
  if (spec.per_year && *spec.per_year < static_cast<Ticks>(periods_of_a_year(*spec.period)))
    return usage_error("`budget_per_year` is too little to be shared by its periods");
  return {};
}

// All periods as one: so many times the trips; a person's periods are as many people.
PlanRequest whole_of(PlanRequest request, std::uint32_t periods) {
  request.trips = std::min(kMaxPlannedTrips, request.trips * periods);
  if (request.people) request.people->people *= periods;
  return request;
}

Result<PlanRequest> plan_request(const PlanSpec& spec) {
  PlanRequest request;
  if (Status s = set_trips(spec, request); !s) return s.error();
  request.stops = spec.stops;
  request.seed = spec.seed;
  if (Status s = set_map(spec, request.map); !s) return s.error();
  if (Status s = set_unit(spec, request); !s) return s.error();
  if (Status s = check_series(spec); !s) return s.error();
  request.epsilons = spec.epsilons;
  if (spec.per_year) request.epsilons = {*spec.per_year / static_cast<Ticks>(periods_of_a_year(*spec.period))};
  request.mechanisms = spec.mechanisms;
  const double side = std::min(request.map.width, request.map.height);
  if (Status s = check_lengths("query_side", spec.query_sides, side); !s) return s.error();
  request.sides = spec.query_sides.empty() ? std::vector{side / 50, side / 20, side / 10} : spec.query_sides;
  if (request.epsilons.size() > 12 || request.sides.size() > 3) {
    return usage_error("a plan takes at most 12 epsilons and 3 sides of queries");
  }
  request.simulate = !spec.formulas;
  request.refresh = spec.refresh;
  return request;
}

}  // namespace

Result<PlanSpec> read_plan(const FieldValues& values) {
  FieldReader fields(values);
  PlanSpec spec;
  fields.whole("n", spec.n, 1, kMaxPlannedTrips).whole("people", spec.people, 1, kMaxPlannedTrips);
  fields.decimal("trips_per_person", spec.trips_per_person).whole("stops", spec.stops, 1, kMaxAxes / 2);
  std::optional<std::pair<std::uint32_t, std::uint32_t>> grid;
  read_grid(fields, grid);
  spec.grid = grid.value_or(spec.grid);
  fields.decimals("extent_km", spec.extent_km, 'x');
  read_box(fields, spec.box);
  if (fields.has("epsilon") && fields.has("budget_per_year"))
    fields.fail(usage_error("`epsilon` and `budget_per_year` both say what a period costs\n  Give one of them."));
  fields.epsilons("epsilon", spec.epsilons);
  fields.whole("series", spec.series, 1, 4000).epsilon("budget_per_year", spec.per_year);
  fields.parsed("period", spec.period, [](const std::string& text) -> Result<PeriodKind> {
    if (const std::optional<PeriodKind> kind = parse_period_kind(text)) return *kind;
    return usage_error(fmt::format("`period` must be day, week, month or quarter, not \"{}\"", text));
  });
  read_unit(fields, spec.unit);
  fields.names("mechanism", spec.mechanisms).decimals("query_side", spec.query_sides);
  fields.whole("seed", spec.seed, 0, UINT64_MAX).truth("formulas", spec.formulas).truth("refresh", spec.refresh);
  if (Status s = fields.done(); !s) return s.error();
  return spec;
}

Result<Planned> run_plan(const PlanSpec& spec, const Observer& observer) {
  Planned planned;
  Result<PlanRequest> request = plan_request(spec);
  if (!request) return request.error();
  planned.in_km = !spec.extent_km.empty() || spec.box;
  planned.request = std::move(*request);
  planned.request.threads = observer.threads;
  PlanDoors doors{draw_release_key, cache_folder()};
  doors.phase = observer.phase;
  doors.interrupted = observer.interrupted;
  Result<Plan> plan = make_plan(planned.request, doors);
  if (!plan) return plan.error();
  planned.plan = std::move(*plan);
  if (spec.series) {
    planned.series = PlannedSeries{*spec.series, *spec.period, whole_of(planned.request, *spec.series), {}};
    Result<Plan> whole = make_plan(planned.series->request, doors);
    if (!whole) return whole.error();
    planned.series->plan = std::move(*whole);
  }
  observer.pause();
  return planned;
}

}  // namespace stopover
