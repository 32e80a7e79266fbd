// PlanReport: a forecast as a page of 80 columns and as JSON.
#pragma once

#include <string>

#include "base/period.h"
#include "plan/plan.h"
#include "text/paper.h"

namespace stopover {

// What a series of such releases costs, and what one release of all its periods would be good for.
struct PlannedSeries {
  std::int64_t periods = 0;
  PeriodKind kind = PeriodKind::month;
  PlanRequest request;
  Plan plan;
};

struct PlanReport {
  const PlanRequest& request;
  const Plan& plan;
  bool in_km;                             // else lengths are per cent of the map's side
  const PlannedSeries* series = nullptr;  // the forecast above is then that of one period

  // Of the forecast's rows for this epsilon.
  std::uint32_t k_for(Ticks epsilon) const;
  std::string json() const;
  std::string text(const Paper& paper) const;
};

}  // namespace stopover
