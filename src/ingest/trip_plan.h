// TripPlan: from rows to bounded, counted cells, as a short list of SQL views that DuckDB and Spark both run.
//
// The first view reads `source` in the words of the engine (sql_dialect.h); all later ones are the same text for both. Each
// view stands on the one before it; the last is `cells` (a0, a1, ..., count). Views worth knowing:
//   rows    person, trip, times and coordinates, missing where they make no sense
//   trips   person, trip, a0, a1, ...: the whole trips inside the box
//   kept    the same after at most k trips of a person were chosen by hash
// Nothing in them joins two users, none of them can fail because of a row, and none depends on the order of rows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "ingest/sql_dialect.h"
#include "ingest/time_zone.h"
#include "ingest/trip_request.h"

namespace stopover {

struct PlanStep {
  std::string name, sql;
};

struct TripPlan {
  std::vector<PlanStep> steps;
  // Counts over `rows`, for the curator: one row; columns named by what they count. Engine's own: DuckDB only.
  std::string row_facts;
};

// `types`: DuckDB's name of the type of every wanted column. Fails (bad_input) on a column of a wrong type.
// REQUIRES: check_request passed; types has all of wanted_columns(request).
Result<TripPlan> plan_trips(const TripRequest& request, const std::map<std::string, std::string>& types, const TimeZone& zone,
                            const SqlDialect& dialect);

}  // namespace stopover
