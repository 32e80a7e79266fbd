// make_plan: what would a release be good for? From public numbers only, before anything is spent and without data.
// A Plan is a forecast; what a mechanism follows is another matter, the plan of a mechanism (mechanism/mechanism.h).
//
//   PlanRequest request;
//   request.trips = 400'000;
//   request.epsilons = {kTicksPerEpsilon / 10, kTicksPerEpsilon};
//   Result<Plan> plan = make_plan(request, {draw_release_key, cache_folder});
//
// Two sources, kept apart. Formulas (grid_forecast.h), where a mechanism has one. And trials (trial.h) on a synthetic
// city with as many trips, stops and cells. More than kMostSimulated trips are not simulated: then a city of that many
// is published with an epsilon as many times larger as there are fewer trips, because errors depend on trips times
// epsilon ("scale-epsilon exchangeability", Hay et al. 2016) but for how grainy a smaller sample is; counts are scaled
// back.
//
// A real city is not this one: docs/guide/plan.md says how far off the figures were where both could be had.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/ticks.h"
#include "plan/bound_forecast.h"
#include "plan/grid_forecast.h"
#include "plan/synthetic_city.h"
#include "plan/trial.h"
#include "privacy/entropy.h"
#include "release/release.h"

namespace stopover {

struct PlanRequest {
  std::uint64_t trips = 0;  // expected; 1 .. kMaxPlannedTrips
  std::size_t stops = 2;    // 1..6
  MapSize map;
  std::vector<Ticks> epsilons;
  Unit unit = Unit::trip;
  std::uint32_t k = 1;
  // How many people there are, instead of `trips`: then several k are compared (Plan::bounds), and of the trips only
  // those are planned with that a bound of k keeps. `choose_k`: by the k that is best at each epsilon, instead of `k`.
  std::optional<PlannedPeople> people = {};
  bool choose_k = false;
  std::vector<std::string> mechanisms = {"auto"};
  std::vector<double> sides;  // of the squares that queries ask about, in the map's unit of length
  bool simulate = true;
  bool refresh = false;  // make trials again that the cache has
  std::uint64_t seed = 1;
  unsigned threads = 0;  // DEFAULT: 0, all the machine's
};

inline constexpr std::uint64_t kMostSimulated = 200'000;
inline constexpr std::uint64_t kMaxPlannedTrips = 100'000'000'000;

struct PlanDoors {
  std::function<Result<ReleaseKey>()> key;  // draw_release_key, but for tests
  std::string cache;                        // a folder; "": none
  // Told the name of each phase as it begins.
  std::function<void(std::string_view)> phase = [](std::string_view) {};
  // Asked between trials; true ends the forecast with Failure::interrupted.
  std::function<bool()> interrupted = [] { return false; };
};

struct PlanRow {
  Ticks epsilon = 0;
  std::string mechanism;  // "auto" resolved
  std::size_t stops = 0;
  std::uint32_t k = 1;
  std::optional<GridForecast> formula;
  std::optional<Trial> simulated;  // counts scaled to the planned number of trips
};

struct Plan {
  std::vector<PlanRow> rows;           // epsilon by epsilon, in it mechanism by mechanism
  std::vector<PlanRow> one_more_stop;  // one per epsilon, with what auto picks then; empty for 6 stops or no simulation
  std::vector<PlanRow> one_more_trip;  // k + 1 trips per person, with what auto picks
  std::vector<BoundRow> bounds;        // epsilon by epsilon, k ascending; for people alone
  std::string automatic;               // what auto picks for the forecast itself
  std::uint64_t simulated_trips = 0;   // in the synthetic city; 0: nothing was simulated
  std::uint64_t trials = 0;            // made now, not found in the cache
};

// Fails (usage) on unknown mechanisms and on sizes out of range.
Result<Plan> make_plan(const PlanRequest& request, const PlanDoors& doors);

}  // namespace stopover
