// PlanReport: a forecast as a page of 80 columns and as JSON.
#pragma once

#include <string>

#include "text/paper.h"
#include "plan/plan.h"

namespace stopover {

struct PlanReport {
  const PlanRequest& request;
  const Plan& plan;
  bool in_km;  // else lengths are per cent of the map's side

  // Of the forecast's rows for this epsilon.
  std::uint32_t k_for(Ticks epsilon) const;
  std::string json() const;
  std::string text(const Paper& paper) const;
};

}  // namespace stopover
