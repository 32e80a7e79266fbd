// run_plan: from flags to a plan, for the command line and for Python.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/voice.h"
#include "plan/plan.h"

namespace stopover {

// As they are typed.
struct PlanFlags {
  std::string n, people, trips_per_person, stops = "2", grid = "1000x1000", extent, bbox, epsilon = "0.1,0.5,1", unit, k,
              mechanism = "auto,daf-entropy,eug", queries, seed = "1";
  bool formulas = false, refresh = false;
};

struct Planned {
  PlanRequest request;
  Plan plan;
  bool in_km = false;  // else lengths are per cent of the map's side
};

Result<Planned> run_plan(const PlanFlags& flags, const Voice& voice);

}  // namespace stopover
