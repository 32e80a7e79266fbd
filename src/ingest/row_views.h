// RowViews: the first part of a trip plan (trip_plan.h), from a source's views to `rows`: every value read by its
// column's own type, times in UTC, zones by their numbers, rows that the condition is not true of left out; and the
// counts of what is missing in them.
#pragma once

#include <vector>

#include "base/result.h"
#include "ingest/trip_plan.h"

namespace stopover {

// Adds `rows` to the plan, with what stands before it, and fills its row_facts, lacking and conditioned.
Status plan_rows(const TripRequest& request, const std::vector<SourceView>& views, const TimeZone& zone,
                 const SqlDialect& dialect, TripPlan& plan);

}  // namespace stopover
