// TripPlan: from rows to bounded, counted cells, as a short list of SQL views that DuckDB and Spark both run.
//
// The first view reads the source's views in the words of the engine (sql_dialect.h); all later ones are the same text
// for both, but for how a lot is computed. Each view stands on the one before it; the last is `cells` (a0, a1, ...,
// count). Views worth knowing:
//   rows    person, trip, times and coordinates, missing where they make no sense
//   trips   person, trip, a0, a1, ...: the whole trips inside the box
//   kept    the same after at most k trips of a person were chosen by lot (lot.h)
// Nothing in them joins two users, and none of them can fail because of a row. None depends on the order of rows
// either: what a window sorts by tells any two rows apart that are not the same in all that is used of them. (If it did
// not, then how a tie comes out would be up to the engine, and with it to everybody else's rows.) src/privacy/AUDIT.md
// has the lemma.
#pragma once

#include <cstddef>
#include <map>
#include <set>
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
  // The numbers of the source's views in which a wanted column is missing or of a wrong type.
  std::set<std::ptrdiff_t> lacking;
  // The source's views with the condition on their rows behind them, where there is one: "source WHERE ...".
  std::vector<std::string> conditioned;
};

// Rows to read: a table, and DuckDB's name of the type of every wanted column that it has.
struct SourceView {
  std::string name;
  std::map<std::string, std::string> types;
};

// Every view is read by its own types, so none has a say in how another's values are taken. Where one lacks a wanted
// column, or has it in a type that cannot hold such values, the column is missing in its rows; fails (bad_input) where
// that is so in all.
// REQUIRES: check_request passed; at least one view.
Result<TripPlan> plan_trips(const TripRequest& request, const std::vector<SourceView>& views, const TimeZone& zone,
                            const SqlDialect& dialect);

}  // namespace stopover
