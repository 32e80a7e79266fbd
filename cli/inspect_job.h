// run_inspect: what is in these rows, for the curator's eyes alone; for the command line and for Python. Spends and writes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/ingest_flags.h"
#include "cli/voice.h"
#include "ingest/column_shapes.h"
#include "ingest/trip_statistics.h"

namespace stopover {

// SECRET: true figures. Both texts say so.
struct Inspection {
  std::string source;  // what was looked at
  std::vector<ColumnShape> columns;
  // With a box:
  PrivateFacts rows, users;
  std::optional<TripStatistics> trips;

  std::string json() const;
  // A page of 80 columns, every line marked.
  std::string text() const;
};

// Without a box (--bbox, --bbox-from) the columns alone; with one the trips too. The unit need not be said, nor the grid.
Result<Inspection> run_inspect(IngestFlags flags, const Voice& voice);

}  // namespace stopover
