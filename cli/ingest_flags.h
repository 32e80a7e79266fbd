// The flags by which rows are declared: shared by cells, inspect and publish.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/app.h"
#include "ingest/ingest.h"

namespace stopover {

struct IngestFlags {
  std::string input, sql, shape_of = "stops", user, trip, seq, time, lat, lng, stops = "od", stop_names, frames, timezone = "UTC",
              time_unit = "s", bbox, bbox_from, grid, unit, most_trips, bound_key, more_stops = "drop", stay_metres = "200",
              stay_minutes = "10", run_gap_hours = "6", cut = "day", cut_hours = "6", memory_limit, encoding = "utf-8", delimiter = ",";
  bool decimal_comma = false;
  std::vector<std::string> extensions, points, axes;
  std::shared_ptr<const ArrowRows> arrow;  // rows in memory instead of input and sql; no flag
};

// What to declare besides the flags all commands share.
struct IngestFlagChoice {
  bool shared_with_matrix = false;  // the command has --stops, --bbox, --unit and --max-trips-per-user already
};
void add_ingest_flags(CLI::App& app, IngestFlags& flags, IngestFlagChoice choice = {});

// How CSV files are written: rows, and a bare matrix as well. Fails (usage).
Result<TextForm> text_form(const IngestFlags& flags);

// Where the rows come from, and how they are written. Fails (usage).
Result<SourceRequest> source_of(const IngestFlags& flags);

// Opens what the flags say. Fails (privacy) where the box is to be inferred, and where the unit was not said although a column
// is named, or looks (user_column.h), as if it said who somebody is; of JSON lines, whose columns are not known, whenever it
// was not said. `interrupted`: see IngestOptions. `only_looking`: nothing will be published, so no unit is needed.
Result<Ingest> open_ingest(const IngestFlags& flags, unsigned threads, std::function<bool()> interrupted, bool only_looking = false);

// "32x32x32x32"; of several parts "32x32x32x32 and 32x32x32x32x32x32".
std::string shapes_text(const std::vector<TripPart>& parts);

// Lines such as "3 rows outside the box", for private_note; at least one, how many rows were read.
std::vector<std::string> fact_lines(const PrivateFacts& facts, bool all);

}  // namespace stopover
