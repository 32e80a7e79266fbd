#include "cli/rows_flags.h"

namespace stopover {

void add_rows_flags(CLI::App& app, FieldValues& values, RowsFlagChoice choice) {
  const bool matrix = choice.shared_with_matrix;
  option(app, "input", values, "IN", "rows: .csv, .jsonl (.gz, .zst), .parquet, a folder or 'wildcards'");
  section(app, "Where stops lie (declared, never taken from the data)");
  option(app, "--bbox", values, "W,S,E,N", "the bounding box of every stop, in degrees");
  option(app, "--bbox-from", values, "FILE", "instead: the box of a public GeoJSON file of zones");
  option(app, "--grid", values, "CxR", "columns x rows of every stop's map, as in 1000x1000");
  option(app, "--zones", values, "FILE",
         "instead of box and grid: public zones (GeoJSON or Parquet areas; CSV of id,lat,lng stations, H3 cells or "
         "names)");
  option(app, "--zone-id", values, "NAME", "the property or column of the zones' ids (id, TAZ, GEOID, ...)");
  option(app, "--levels", values, "A,B,...",
         "properties or columns that group zones, the smallest first (district,region)");
  option(app, "--zone-columns", values, "O,D,...", "trips: the columns of zone ids, one per stop; else by coordinates");
  option(app, "--zone-column", values, "COLUMN", "stops, pings: the column of zone ids; else by coordinates");
  flag(app, "--overlaps", values, "allow zones that overlap; the first one has a place");
  section(app, "Columns");
  option(app, "--shape-of", values, "SHAPE",
         "what one row is: trips (a whole trip), stops (default; one stop) or pings (one point)");
  option(app, "--user", values, "COLUMN", "user ids (uid)");
  option(app, "--trip", values, "COLUMN", "trip ids (tid)");
  option(app, "--seq", values, "COLUMN", "order of the stops of a trip");
  option(app, "--time", values, "COLUMN", "times (datetime)");
  option(app, "--lat", values, "COLUMN", "latitude (lat)");
  option(app, "--lng", values, "COLUMN", "longitude (lng)");
  options(app, "--point", values, "LAT,LNG[,TIME[,CATEGORY]]",
          "trips: columns of a point, in order; once per point (o_lat,o_lng ... d_lat,d_lng)", "points");
  section(app, "Trips and their stops");
  option(
      app, "--stops", values, matrix ? "A,B,..." : "MODEL",
      std::string("od (default), od+N, first-mid-last, frames, first, last, or counts of stops, one part each (2,3)") +
          (matrix ? "; bare matrix: names of the stops" : ""));
  option(app, "--more-stops", values, "RULE", "od+N: trips with more stops: drop (default) or spread");
  option(app, "--stop-names", values, "A,B,...", "rows: names of the stops (origin, via1, ..., destination)");
  options(app, "--axis", values, "AXIS",
          "one more axis per stop: time-of-day[:CELLS], weekday, category:COLUMN=A,B,*; once per axis", "axes");
  options(
      app, "--trip-axis", values, "AXIS",
      "an axis of the trip: hour:COLUMN=0-6,6-9,..., weekday:COLUMN, daytype:COLUMN, category:COLUMN=A,B,*; once per "
      "axis",
      "trip_axes");
  option(app, "--frames", values, "NAME=HH:MM-HH:MM,...", "windows of the local day for --stops frames");
  option(app, "--timezone", values, "ZONE", "of days, frames, hours (UTC)");
  option(app, "--since", values, "DAY", "count rows from this day on, by --time (2019-01-01)");
  option(app, "--until", values, "DAY", "count rows up to this day, which counts too");
  option(app, "--where", values, "CONDITION",
         "count rows of which this is true: DuckDB's SQL over the columns of one row (\"kind = 'bike'\")");
  option(app, "--time-unit", values, "UNIT", "of times that are numbers: s (default), ms or us");
  if (!matrix) {
    section(app, "Who is protected");
    option(app, "--unit", values, "UNIT", "user (a person) or trip");
    option(app, "--max-trips-per-user", values, "K", "with --unit user: count at most K trips per person");
  }
  section(app, "Pings");
  option(app, "--stay-metres", values, "M", "a step of more ends a stay (200)");
  option(app, "--stay-minutes", values, "MIN", "the shortest stay (10)");
  option(app, "--run-gap-hours", values, "H", "a longer silence ends a stay (6)");
  option(app, "--cut", values, "BY", "stays become trips by the local day (default) or by a gap");
  option(app, "--cut-hours", values, "H", "the gap of --cut gap (6)");
  section(app, "Files");
  option(app, "--encoding", values, "NAME", "CSV: utf-8 (default), latin1, windows-1252 or utf-16");
  option(app, "--delimiter", values, "CHAR", "CSV: between the fields: ',' (default), ';', '|', '^', '~' or tab");
  flag(app, "--decimal-comma", values, "numbers in texts may be written 37,77");
  option(app, "--sql", values, "SELECT", "rows from a DuckDB query instead");
  options(app, "--extension", values, "NAME", "an installed DuckDB extension for --sql; may be given several times",
          "extensions");
  option(app, "--memory-limit", values, "SIZE", "as in 4GB; the rest goes to a private folder on disk");
  option(app, "--bound-key", values, "TEXT", "changes which K trips of a person are kept; rarely needed");
}

}  // namespace stopover
