#include "cli/rows_flags.h"

namespace stopover {

void add_rows_flags(CLI::App& app, FieldValues& values, RowsFlagChoice choice) {
  option(app, "input", values, "IN", "rows: .csv, .jsonl (.gz, .zst), .parquet, a folder or 'wildcards'");
  option(app, "--sql", values, "SELECT", "rows from a DuckDB query instead");
  options(app, "--extension", values, "NAME", "an installed DuckDB extension for --sql; repeatable", "extensions");
  option(app, "--shape-of", values, "SHAPE", "a row is: trips, stops (default) or pings");
  option(app, "--user", values, "COLUMN", "user ids (uid)");
  option(app, "--trip", values, "COLUMN", "trip ids (tid)");
  option(app, "--seq", values, "COLUMN", "order of the stops of a trip");
  option(app, "--time", values, "COLUMN", "times (datetime)");
  option(app, "--lat", values, "COLUMN", "latitude (lat)");
  option(app, "--lng", values, "COLUMN", "longitude (lng)");
  options(app, "--point", values, "LAT,LNG[,TIME[,CATEGORY]]",
          "trips: columns of a point, in order; repeatable (o_lat,o_lng ... d_lat,d_lng)", "points");
  if (!choice.shared_with_matrix) {
    option(app, "--stops", values, "MODEL",
           "od (default), od+N, first-mid-last, frames, first, last; or counts of stops, one part each: 2,3");
    option(app, "--bbox", values, "W,S,E,N", "the declared bounding box, in degrees");
    option(app, "--unit", values, "UNIT", "who is protected: user or trip");
    option(app, "--max-trips-per-user", values, "K", "with --unit user: so many of a user's trips are kept");
  }
  option(app, "--more-stops", values, "RULE", "od+N: trips with more stops: drop (default) or spread");
  option(app, "--stop-names", values, "A,B,...", "rows: names of the stops (origin, via1, ..., destination)");
  option(app, "--frames", values, "NAME=HH:MM-HH:MM,...", "windows of the local day for --stops frames");
  option(app, "--timezone", values, "ZONE", "of days, frames, hours (UTC)");
  option(app, "--time-unit", values, "UNIT", "of times that are numbers: s (default), ms or us");
  options(app, "--axis", values, "AXIS",
          "one more axis per stop: time-of-day[:CELLS], weekday, category:COLUMN=A,B,*; repeatable", "axes");
  option(app, "--bbox-from", values, "FILE", "the box of a public GeoJSON file of zones");
  option(app, "--grid", values, "CxR", "columns x rows of every stop's map, as in 1000x1000");
  option(app, "--bound-key", values, "TEXT", "which of a user's trips are kept follows from it (stopover)");
  option(app, "--stay-metres", values, "M", "pings: a step of more ends a stay (200)");
  option(app, "--stay-minutes", values, "MIN", "pings: the shortest stay (10)");
  option(app, "--run-gap-hours", values, "H", "pings: a longer silence ends a stay (6)");
  option(app, "--cut", values, "BY", "pings: stays become trips by the local day (default) or by a gap");
  option(app, "--cut-hours", values, "H", "pings: the gap of --cut gap (6)");
  option(app, "--encoding", values, "NAME", "CSV: utf-8 (default), latin1, windows-1252 or utf-16");
  option(app, "--delimiter", values, "CHAR", "CSV: between the fields: ',' (default), ';', '|', '^', '~' or tab");
  flag(app, "--decimal-comma", values, "numbers in texts may be written 37,77");
  option(app, "--memory-limit", values, "SIZE", "DuckDB's, as in 4GB; the rest goes to a private folder in TMPDIR");
}

}  // namespace stopover
