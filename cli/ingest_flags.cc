#include "cli/ingest_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "base/split.h"
#include "ingest/user_column.h"
#include "ingest/zones_box.h"

namespace stopover {
namespace {

Error usage(std::string message) { return {Failure::usage, std::move(message)}; }

Status read_model(const IngestFlags& f, TripRequest& request) {
  static const std::map<std::string, StopModel> models = {{"first", StopModel::first},
                                                          {"last", StopModel::last},
                                                          {"od", StopModel::od},
                                                          {"first-mid-last", StopModel::first_mid_last},
                                                          {"frames", StopModel::frames}};
  const auto found = models.find(f.stops);
  if (found != models.end()) {
    request.model = found->second;
  } else if (f.stops.starts_with("od+")) {
    const Result<std::uint64_t> vias = parse_whole_number("--stops od+N", f.stops.substr(3), 1, 10);
    if (!vias) return vias.error();
    request.model = StopModel::od_vias;
    request.vias = static_cast<std::uint32_t>(*vias);
  } else if (!f.stops.empty() && f.stops.find_first_not_of("0123456789,") == std::string::npos) {
    Result<std::vector<std::uint32_t>> counts = parse_stop_counts(f.stops);
    if (!counts) return counts.error();
    request.model = counts->size() > 1 ? StopModel::counts : StopModel::od_vias;
    request.vias = counts->front() - 2;
    request.counts = std::move(*counts);
  } else {
    return usage(fmt::format("--stops must be od, od+N, first-mid-last, frames, first, last, or counts such as 2,3, not \"{}\"", f.stops));
  }
  if (f.more_stops != "drop" && f.more_stops != "spread") {
    return usage(fmt::format("--more-stops must be drop or spread, not \"{}\"", f.more_stops));
  }
  request.spread = f.more_stops == "spread";
  if (!f.stop_names.empty()) request.names = split(f.stop_names, ',');
  if (!f.frames.empty()) {
    Result<std::vector<Frame>> frames = parse_frames(f.frames);
    if (!frames) return frames.error();
    request.frames = std::move(*frames);
  }
  for (const std::string& text : f.axes) {
    Result<ExtraAxis> axis = parse_extra_axis(text);
    if (!axis) return axis.error();
    request.axes.push_back(std::move(*axis));
  }
  return {};
}

Status read_domain(const IngestFlags& f, TripRequest& request) {
  if (f.bbox.empty() && f.bbox_from.empty()) {
    return Error{Failure::privacy, "the bounding box must be declared, not taken from the data.\n"
                                   "  A box fitted to the trips tells where the outermost trip was.\n"
                                   "  Use --bbox W,S,E,N  or  --bbox-from zones.geojson"};
  }
  if (!f.bbox.empty() && !f.bbox_from.empty()) return usage("--bbox and --bbox-from both say where the box is: give one");
  const Result<BoundingBox> box = f.bbox.empty() ? read_zones_box(f.bbox_from) : parse_bounding_box(f.bbox);
  if (!box) return box.error();
  request.box = *box;
  if (f.grid.empty() || f.grid == "auto") {
    return Error{Failure::privacy, "the grid must be declared, not taken from the data.\n"
                                   "  Use --grid COLUMNSxROWS, as in --grid 1000x1000; see stopover domain suggest"};
  }
  const auto grid = parse_grid(f.grid);
  if (!grid) return grid.error();
  std::tie(request.columns, request.rows) = *grid;
  return {};
}

Status read_unit(const IngestFlags& f, TripRequest& request) {
  if (!f.bound_key.empty()) request.bound_key = f.bound_key;
  if (f.unit == "trip" || f.unit.empty()) {
    if (f.most_trips.empty()) return {};
    return usage("--max-trips-per-user goes with --unit user\n  With --unit trip one trip is protected, not a person.");
  }
  if (f.unit != "user") return usage(fmt::format("--unit must be user or trip, not \"{}\"", f.unit));
  if (f.most_trips.empty()) {
    return usage("--unit user needs --max-trips-per-user\n  So many of a person's trips are kept, chosen by a hash of user and trip.");
  }
  const Result<std::uint64_t> k = parse_whole_number("--max-trips-per-user", f.most_trips, 1, 1'000'000);
  if (!k) return k.error();
  request.max_trips_per_user = static_cast<std::uint32_t>(*k);
  return {};
}

Status read_clock(const IngestFlags& f, TripRequest& request) {
  static const std::map<std::string, std::int64_t> units = {{"s", 1000}, {"ms", 1}, {"us", 0}};
  const auto unit = units.find(f.time_unit);
  if (unit == units.end()) return usage(fmt::format("--time-unit must be s, ms or us, not \"{}\"", f.time_unit));
  request.time_unit_ms = unit->second;
  request.decimal_comma = f.decimal_comma;
  request.timezone = f.timezone;
  const auto milliseconds = [](std::string_view flag, const std::string& text, double unit_ms, std::int64_t& out) -> Status {
    const Result<double> value = parse_decimal(flag, text);
    if (!value) return value.error();
    if (*value < 0 || *value * unit_ms > 4e12) return usage(fmt::format("{} must be at least 0, not {}", flag, text));
    out = static_cast<std::int64_t>(*value * unit_ms);
    return {};
  };
  if (Status s = milliseconds("--stay-minutes", f.stay_minutes, 60e3, request.stay_ms); !s) return s;
  if (Status s = milliseconds("--run-gap-hours", f.run_gap_hours, 3600e3, request.run_gap_ms); !s) return s;
  if (Status s = milliseconds("--cut-hours", f.cut_hours, 3600e3, request.cut_gap_ms); !s) return s;
  const Result<double> metres = parse_decimal("--stay-metres", f.stay_metres);
  if (!metres) return metres.error();
  request.stay_metres = *metres;
  if (f.cut != "day" && f.cut != "gap") return usage(fmt::format("--cut must be day or gap, not \"{}\"", f.cut));
  request.cut_by_day = f.cut == "day";
  return {};
}

// What lines that are not UTF-8 look like. Windows-1252 has all that Latin-1 has, but for control characters.
std::string encoding_hint(const PrivateFacts& facts) {
  const std::map<std::string, std::uint64_t> counts(facts.begin(), facts.end());
  if (!counts.contains("like_latin1")) return ", as JSON lines must be";
  const std::uint64_t windows = counts.at("like_windows1252"), known = counts.at("like_latin1") + windows;
  if (known == 0) return "; their encoding is not known";
  return fmt::format("; {0} like {1}: try --encoding {1}", known == counts.at("not_utf8") ? "they look" : "some look",
                     to_string(windows > 0 ? TextEncoding::windows1252 : TextEncoding::latin1));
}

Result<PointColumns> parse_point(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.size() < 2 || parts.size() > 4 || parts[0].empty() || parts[1].empty()) {
    return usage(fmt::format("--point must name columns as LAT,LNG[,TIME[,CATEGORY]], not \"{}\"", text));
  }
  parts.resize(4);
  return PointColumns{parts[0], parts[1], parts[2], parts[3]};
}

// Names of columns decide, never what is in them.
Status check_unit_was_said(const Ingest& in) {
  const std::string& named = in.request().user;
  const std::optional<std::string> alike = named.empty() ? find_user_column(in.source().columns()) : named;
  if (alike) {
    return Error{Failure::privacy,
                 fmt::format("there {} (column {}), so say who is to be protected.\n"
                             "  One person, with at most K trips in the release:\n"
                             "    --unit user --user {} --max-trips-per-user K\n"
                             "  One trip only, a person with n trips n times less: --unit trip",
                             named.empty() ? "seem to be user ids" : "are user ids", *alike, *alike)};
  }
  if (in.source().knows_columns()) return {};
  return Error{Failure::privacy, "JSON lines do not say whether there are user ids, so say who is to be protected.\n"
                                 "  One person, with at most K trips in the release:\n"
                                 "    --unit user --user COLUMN --max-trips-per-user K\n"
                                 "  One trip only, a person with n trips n times less: --unit trip"};
}

}  // namespace

void add_ingest_flags(CLI::App& app, IngestFlags& f, IngestFlagChoice choice) {
  option(app, "input", f.input, "IN", "rows: .csv, .jsonl (.gz, .zst), .parquet, a folder or 'wildcards'");
  option(app, "--sql", f.sql, "SELECT", "rows from a DuckDB query instead");
  options(app, "--extension", f.extensions, "NAME", "an installed DuckDB extension for --sql; repeatable");
  option(app, "--shape-of", f.shape_of, "SHAPE", "a row is: trips, stops (default) or pings");
  option(app, "--user", f.user, "COLUMN", "user ids (uid)");
  option(app, "--trip", f.trip, "COLUMN", "trip ids (tid)");
  option(app, "--seq", f.seq, "COLUMN", "order of the stops of a trip");
  option(app, "--time", f.time, "COLUMN", "times (datetime)");
  option(app, "--lat", f.lat, "COLUMN", "latitude (lat)");
  option(app, "--lng", f.lng, "COLUMN", "longitude (lng)");
  options(app, "--point", f.points, "LAT,LNG[,TIME[,CATEGORY]]", "trips: columns of a point, in order; repeatable (o_lat,o_lng ... d_lat,d_lng)");
  if (!choice.shared_with_matrix) {
    option(app, "--stops", f.stops, "MODEL", "od (default), od+N, first-mid-last, frames, first, last; or counts of stops, a part each: 2,3");
    option(app, "--bbox", f.bbox, "W,S,E,N", "the declared bounding box, in degrees");
    option(app, "--unit", f.unit, "UNIT", "who is protected: user or trip");
    option(app, "--max-trips-per-user", f.most_trips, "K", "with --unit user: so many of a user's trips are kept");
  }
  option(app, "--more-stops", f.more_stops, "RULE", "od+N: trips with more stops: drop (default) or spread");
  option(app, "--stop-names", f.stop_names, "A,B,...", "rows: names of the stops (origin, via1, ..., destination)");
  option(app, "--frames", f.frames, "NAME=HH:MM-HH:MM,...", "windows of the local day for --stops frames");
  option(app, "--timezone", f.timezone, "ZONE", "of days, frames, hours (UTC)");
  option(app, "--time-unit", f.time_unit, "UNIT", "of times that are numbers: s (default), ms or us");
  options(app, "--axis", f.axes, "AXIS", "one more axis a stop: time-of-day[:CELLS], weekday, category:COLUMN=A,B,*; repeatable");
  option(app, "--bbox-from", f.bbox_from, "FILE", "the box of a public GeoJSON file of zones");
  option(app, "--grid", f.grid, "CxR", "columns x rows of every stop's map, as in 1000x1000");
  option(app, "--bound-key", f.bound_key, "TEXT", "which of a user's trips are kept follows from it (stopover)");
  option(app, "--stay-metres", f.stay_metres, "M", "pings: a step of more ends a stay (200)");
  option(app, "--stay-minutes", f.stay_minutes, "MIN", "pings: the shortest stay (10)");
  option(app, "--run-gap-hours", f.run_gap_hours, "H", "pings: a longer silence ends a stay (6)");
  option(app, "--cut", f.cut, "BY", "pings: stays become trips by the local day (default) or by a gap");
  option(app, "--cut-hours", f.cut_hours, "H", "pings: the gap of --cut gap (6)");
  option(app, "--encoding", f.encoding, "NAME", "CSV: utf-8 (default), latin1, windows-1252 or utf-16");
  option(app, "--delimiter", f.delimiter, "CHAR", "CSV: between the fields: ',' (default), ';', '|', '^', '~' or tab");
  flag(app, "--decimal-comma", f.decimal_comma, "numbers in texts may be written 37,77");
  option(app, "--memory-limit", f.memory_limit, "SIZE", "DuckDB's, as in 4GB; the rest goes to a private folder in TMPDIR");
}

Result<TextForm> text_form(const IngestFlags& f) {
  const Result<TextEncoding> encoding = parse_encoding(f.encoding);
  if (!encoding) return encoding.error();
  const Result<char> delimiter = parse_delimiter(f.delimiter);
  if (!delimiter) return delimiter.error();
  return TextForm{*encoding, *delimiter};
}

Result<SourceRequest> source_of(const IngestFlags& flags) {
  const Result<TextForm> form = text_form(flags);
  if (!form) return form.error();
  return SourceRequest{flags.input, flags.sql, flags.extensions, flags.arrow, *form};
}

Result<Ingest> open_ingest(const IngestFlags& f, unsigned threads, std::function<bool()> interrupted, bool only_looking) {
  static const std::map<std::string, RowShape> shapes = {
      {"trips", RowShape::trips}, {"stops", RowShape::stops}, {"pings", RowShape::pings}};
  TripRequest request;
  const auto shape = shapes.find(f.shape_of);
  if (shape == shapes.end()) return usage(fmt::format("--shape-of must be trips, stops or pings, not \"{}\"", f.shape_of));
  request.shape = shape->second;
  if (Status s = read_domain(f, request); !s) return s.error();
  if (Status s = read_model(f, request); !s) return s.error();
  if (Status s = read_unit(f, request); !s) return s.error();
  if (Status s = read_clock(f, request); !s) return s.error();
  ColumnNames names;
  const auto given = [](const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); };
  names = {given(f.user), given(f.trip), given(f.seq), given(f.time), given(f.lat), given(f.lng), {}};
  for (const std::string& text : f.points) {
    Result<PointColumns> point = parse_point(text);
    if (!point) return point.error();
    names.points.push_back(std::move(*point));
  }
  const Result<SourceRequest> source = source_of(f);
  if (!source) return source.error();
  Result<Ingest> in = Ingest::open(*source, names, std::move(request),
                                   {threads, f.memory_limit, std::move(interrupted)});
  if (!in) return in.error();
  if (f.unit.empty() && !only_looking) {
    if (Status s = check_unit_was_said(*in); !s) return s.error();
  }
  return in;
}

std::string shapes_text(const std::vector<TripPart>& parts) {
  std::vector<std::string> shapes;
  for (const TripPart& part : parts) shapes.push_back(part.domain.shape_text());
  return fmt::format("{}", fmt::join(shapes, " and "));
}

std::vector<std::string> fact_lines(const PrivateFacts& facts, bool all) {
  static const std::map<std::string, std::string> words = {
      {"rows_read", "rows read"},
      {"without_user", "rows without a user id"},
      {"without_trip", "rows without a trip id"},
      {"without_order", "rows without a place in their trip"},
      {"without_time", "rows without a time that can be read"},
      {"without_position", "rows without a position"},
      {"outside_the_box", "rows outside the box"},
      {"exchanged", "rows inside with lat and lng exchanged: check --lat and --lng"},
      {"unreadable", "lines that are no rows"},
      {"not_utf8", "of them are not UTF-8"},
      {"odd_quotes", "lines with an odd number of double quotes"},
      {"lacking_files", "files that lack a column that is read, or cannot give it"},
      {"users", "users with a usable trip"},
      {"trips", "usable trips"},
      {"kept_trips", "trips kept"}};
  std::vector<std::string> lines;
  for (const auto& [name, count] : facts) {
    if (count == 0 && name != "rows_read" && (!all || name == "exchanged" || name == "not_utf8")) continue;
    if (name.starts_with("like_")) continue;
    std::string more;
    if (name == "not_utf8") more = encoding_hint(facts);
    if (name == "odd_quotes" && count > 0) more = ": a field over several lines\n  is read as several rows; use Parquet or JSON lines";
    if (name.starts_with("without_") && count > 0 && count == facts.front().second) {
      more = ": all of them; is the column named right?";
      if (name == "without_position") more += "\n  Numbers written as 37,77 need --decimal-comma.";
    }
    const std::string& what = words.at(name);
    lines.push_back(fmt::format("{} {}{}", grouped(count), count == 0 ? what.substr(0, what.find(": ")) : what, more));
  }
  return lines;
}

}  // namespace stopover
