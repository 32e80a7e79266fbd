// run_plan: from a spec to a forecast of what a release would be good for. Reads no data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "domain/degree_box.h"
#include "job/field_values.h"
#include "job/observer.h"
#include "job/plan_report.h"
#include "job/unit_spec.h"
#include "plan/plan.h"

namespace stopover {

// All of it public guesses, nothing from the data.
struct PlanSpec {
  // How much data: trips, or people and how many trips each has on average.
  std::optional<std::uint64_t> n, people;
  std::optional<double> trips_per_person;
  std::uint64_t stops = 2;
  std::pair<std::uint32_t, std::uint32_t> grid = {1000, 1000};
  // The map's sides in km: one, or two; or its box. Without either, lengths are per cent of its side.
  std::vector<double> extent_km;
  std::optional<DegreeBox> box;
  std::vector<Ticks> epsilons = {kTicksPerEpsilon / 10, kTicksPerEpsilon / 2, kTicksPerEpsilon};
  UnitSpec unit;
  std::vector<std::string> mechanisms = {"auto", "daf-entropy", "eug"};
  std::vector<double> query_sides;  // empty: 1/50, 1/20 and 1/10 of the map's shorter side
  // A series of so many periods: n, or people and their trips, are then those of one period. With a limit for a year
  // epsilon is its share for each period.
  std::optional<std::uint32_t> series;
  std::optional<PeriodKind> period;
  std::optional<Ticks> per_year;
  std::uint64_t seed = 1;
  bool formulas = false;  // nothing is simulated
  bool refresh = false;   // simulate again what the cache has
};

// From the fields of a face. Fails (usage, privacy).
Result<PlanSpec> read_plan(const FieldValues& values);

struct Planned {
  PlanRequest request;
  Plan plan;
  bool in_km = false;  // else lengths are per cent of the map's side
  std::optional<PlannedSeries> series = {};

  PlanReport report() const { return {request, plan, in_km, series ? &*series : nullptr}; }
};

Result<Planned> run_plan(const PlanSpec& spec, const Observer& observer);

}  // namespace stopover
