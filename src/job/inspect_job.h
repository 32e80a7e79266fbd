// run_inspect: what is in these rows, for the curator's eyes alone. Spends and writes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/field_words.h"
#include "base/result.h"
#include "ingest/column_shapes.h"
#include "ingest/trip_statistics.h"
#include "job/observer.h"
#include "job/rows_spec.h"

namespace stopover {

// SECRET: true figures. Both texts say so.
struct Inspection {
  std::string source;  // what was looked at
  std::vector<ColumnShape> columns;
  // With a box:
  PrivateFacts rows, users;
  std::optional<TripStatistics> trips;

  std::string json() const;
  // A page of 80 columns, every line marked, in the words of a face.
  std::string text(Face face) const;
};

// Without a box the columns alone; with one the trips too. The unit need not be said, nor the grid.
Result<Inspection> run_inspect(RowsSpec rows, const Observer& observer);

// From the fields of a face. Fails (usage, privacy).
Result<RowsSpec> read_inspect(const FieldValues& values);

}  // namespace stopover
