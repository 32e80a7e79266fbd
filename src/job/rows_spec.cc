#include "job/rows_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "base/split.h"
#include "base/usage_error.h"
#include "ingest/user_column.h"
#include "ingest/zones_box.h"
#include "job/domain_spec.h"
#include "job/parse_number.h"
#include "zones/zone_file.h"

namespace stopover {
namespace {

// One of a few words, each of which stands for something.
template <typename T>
void read_word(FieldReader& fields, std::string_view field, T& target,
               const std::vector<std::pair<std::string, T>>& words) {
  fields.parsed(field, target, [&](const std::string& text) -> Result<T> {
    std::string known;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].first == text) return words[i].second;
      known += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i].first;
    }
    return usage_error(fmt::format("`{}` must be {}, not \"{}\"", field, known, text));
  });
}

// A model's name, or counts of stops.
Status read_model(const std::string& text, TripRequest& request) {
  static const std::map<std::string, StopModel> models = {{"first", StopModel::first},
                                                          {"last", StopModel::last},
                                                          {"od", StopModel::od},
                                                          {"first-mid-last", StopModel::first_mid_last},
                                                          {"frames", StopModel::frames}};
  if (const auto found = models.find(text); found != models.end()) {
    request.model = found->second;
    return {};
  }
  if (text.starts_with("od+")) {
    const Result<std::uint64_t> vias = parse_whole_number("stops od+N", text.substr(3), 1, 10);
    if (!vias) return vias.error();
    request.model = StopModel::od_vias;
    request.vias = static_cast<std::uint32_t>(*vias);
    return {};
  }
  if (text.find_first_not_of("0123456789,") == std::string::npos) {
    Result<std::vector<std::uint32_t>> counts = parse_stop_counts(text);
    if (!counts) return counts.error();
    request.model = counts->size() > 1 ? StopModel::counts : StopModel::od_vias;
    request.vias = counts->front() - 2;
    request.counts = std::move(*counts);
    return {};
  }
  return usage_error(fmt::format(
      "`stops` must be od, od+N, first-mid-last, frames, first, last, or counts such as 2,3, not \"{}\"", text));
}

void read_model(FieldReader& fields, TripRequest& request) {
  std::vector<std::string> counts;
  fields.names("stops", counts);  // a list of counts, or one word
  if (!counts.empty() && !fields.failed()) {
    if (Status s = read_model(fmt::format("{}", fmt::join(counts, ",")), request); !s) fields.fail(s.error());
  }
  read_word<bool>(fields, "more_stops", request.spread, {{"drop", false}, {"spread", true}});
  fields.names("stop_names", request.names);
  fields.parsed("frames", request.frames, parse_frames);
  fields.parsed_each("axes", request.axes, parse_extra_axis);
  fields.parsed_each("trip_axes", request.trip_axes, parse_trip_axis);
}

void read_milliseconds(FieldReader& fields, std::string_view field, double unit_ms, std::int64_t& target) {
  std::optional<double> value;
  fields.decimal(field, value);
  if (!value) return;
  if (*value < 0 || *value * unit_ms > 4e12) {
    fields.fail(usage_error(fmt::format("`{}` must be at least 0, not {}", field, *value)));
  } else {
    target = static_cast<std::int64_t>(*value * unit_ms);
  }
}

void read_clock(FieldReader& fields, TripRequest& request) {
  read_word<std::int64_t>(fields, "time_unit", request.time_unit_ms, {{"s", 1000}, {"ms", 1}, {"us", 0}});
  fields.truth("decimal_comma", request.decimal_comma).text("timezone", request.timezone);
  read_milliseconds(fields, "stay_minutes", 60e3, request.stay_ms);
  read_milliseconds(fields, "run_gap_hours", 3600e3, request.run_gap_ms);
  read_milliseconds(fields, "cut_hours", 3600e3, request.cut_gap_ms);
  fields.decimal("stay_metres", request.stay_metres);
  read_word<bool>(fields, "cut", request.cut_by_day, {{"day", true}, {"gap", false}});
}

Result<PointColumns> parse_point(const std::string& text) {
  std::vector<std::string> parts = split(text, ',');
  if (parts.size() < 2 || parts.size() > 4 || parts[0].empty() || parts[1].empty()) {
    return usage_error(fmt::format("`points` must name columns as LAT,LNG[,TIME[,CATEGORY]], not \"{}\"", text));
  }
  parts.resize(4);
  return PointColumns{parts[0], parts[1], parts[2], parts[3], ""};
}

// Trips have a column for every stop, other rows one.
void read_zone_columns(FieldReader& fields, RowShape shape, std::vector<std::string>& columns) {
  std::string one;
  fields.names("zone_columns", columns).text("zone_column", one);
  if (!columns.empty() && (shape != RowShape::trips || !one.empty())) {
    fields.fail(
        usage_error("`zone_columns` is for rows of trips, one column for each stop\n  For rows of stops and pings: "
                    "`zone_column COLUMN`"));
  }
  if (one.empty()) return;
  columns = {one};
  if (shape == RowShape::trips) {
    fields.fail(usage_error("`zone_column` is for rows of stops and pings\n  For rows of trips: `zone_columns O,D`"));
  }
}

// A box that holds all zones, also those at its eastern and northern edge.
DegreeBox box_around(const ZoneSet& zones) {
  DegreeBox box{180, 90, -180, -90};
  for (const ZoneRecord& zone : zones.all()) {
    for (const std::vector<Ring>& polygon : zone.polygons) {
      for (const PlanePoint& point : polygon[0]) {
        box = {std::min(box.west, point.x), std::min(box.south, point.y), std::max(box.east, point.x),
               std::max(box.north, point.y)};
      }
    }
  }
  constexpr double kMargin = 1e-6;
  return {box.west - kMargin, box.south - kMargin, box.east + kMargin, box.north + kMargin};
}

// The zones in place of a lattice. Stays are measured on the map of their box.
Status declare_zones(const RowsSpec& spec, TripRequest& request) {
  if (spec.box || !spec.box_from.empty() || spec.grid) {
    return usage_error("`zones` takes the place of `bbox` and `grid`: give one or the other");
  }
  Result<ZoneSet> zones = read_zones({.path = spec.zones.file,
                                      .id = spec.zones.id,
                                      .levels = spec.zones.levels,
                                      .allow_overlaps = spec.zones.overlaps});
  if (!zones) return zones.error();
  request.zones_by_id = !spec.columns.zones.empty();
  if (!request.zones_by_id && zones->form() != ZoneForm::polygons) {
    return usage_error(fmt::format(
        "`zones {}` has {}, in which no coordinate lies\n  Name the column{} of zone ids: `{}`", spec.zones.file,
        zones->form() == ZoneForm::points ? "points" : "names", request.shape == RowShape::trips ? "s" : "",
        request.shape == RowShape::trips ? "zone_columns ORIGIN,DESTINATION" : "zone_column COLUMN"));
  }
  if (zones->form() == ZoneForm::polygons) request.box = box_around(*zones);
  request.zones = std::make_shared<const ZoneSet>(std::move(*zones));
  return {};
}

// The box and the grid of the lattice, or zones.
Status declare(const RowsSpec& spec, TripRequest& request) {
  if (!spec.zones.file.empty()) return declare_zones(spec, request);
  for (const auto& [given, field] :
       {std::pair{!spec.zones.id.empty(), "zone_id"}, std::pair{!spec.zones.levels.empty(), "levels"},
        std::pair{!spec.columns.zones.empty(), "zone_columns"}}) {
    if (given) return usage_error(fmt::format("`{}` goes with `zones`", field));
  }
  if (!spec.box && spec.box_from.empty()) {
    return Error{Failure::privacy,
                 "the bounding box must be declared, not taken from the data.\n"
                 "  A box fitted to the trips tells where the outermost trip was.\n"
                 "  Use `bbox W,S,E,N`  or  `bbox_from zones.geojson`, or count between zones with `zones FILE`"};
  }
  if (spec.box && !spec.box_from.empty())
    return usage_error("`bbox` and `bbox_from` both say where the box is: give one");
  const Result<DegreeBox> box = spec.box ? Result<DegreeBox>(*spec.box) : read_zones_box(spec.box_from);
  if (!box) return box.error();
  request.box = *box;
  if (!spec.grid) {
    return Error{Failure::privacy,
                 "the grid must be declared, not taken from the data.\n"
                 "  Use `grid COLUMNSxROWS`, as in `grid 1000x1000`; see stopover domain suggest"};
  }
  std::tie(request.columns, request.rows) = *spec.grid;
  return {};
}

constexpr std::string_view kOneTripOnly = "\n  One trip only, a person with n trips n times less: `unit trip`";

// Trips that are made of a person's rows, not named by them: one row may have a part in several.
std::string_view made_of(const TripRequest& request) {
  if (request.shape == RowShape::pings) return "pings";
  return request.model == StopModel::frames ? "frames of the day" : "";
}

// What is one trip must follow from its rows: else one ping, or one long stay, moves several trips of the matrix, and
// more is told of it than epsilon.
Status check_unit_is_there(const RowsSpec& spec) {
  const std::string_view rows = made_of(spec.trips);
  if (rows.empty() || spec.unit.unit != Unit::trip) return {};
  return Error{Failure::privacy,
               fmt::format("`unit trip` does not go with {}\n"
                           "  Trips are made of what a person did, and one moment may be in several of them: there is\n"
                           "  no trip to protect. Protect people: `unit user` `max_trips_per_user K`",
                           rows)};
}

// Names of columns decide, never what is in them.
Status check_unit_was_said(const Ingest& in) {
  const std::string& named = in.request().user;
  const std::optional<std::string> alike = named.empty() ? find_user_column(in.source().columns()) : named;
  if (alike) {
    return Error{Failure::privacy, fmt::format("there {} (column {}), so say who is to be protected.\n"
                                               "  One person, with at most K trips in the release:\n"
                                               "    `unit user` `user {}` `max_trips_per_user K`{}",
                                               named.empty() ? "seem to be user ids" : "are user ids", *alike, *alike,
                                               made_of(in.request()).empty() ? kOneTripOnly : "")};
  }
  if (in.source().knows_columns()) return {};
  return Error{Failure::privacy,
               fmt::format("JSON lines do not say whether there are user ids, so say who is to be protected.\n"
                           "  One person, with at most K trips in the release:\n"
                           "    `unit user` `user COLUMN` `max_trips_per_user K`{}",
                           kOneTripOnly)};
}

}  // namespace

void read_text_form(FieldReader& fields, TextForm& form) {
  fields.parsed("encoding", form.encoding, parse_encoding).parsed("delimiter", form.delimiter, parse_delimiter);
}

void read_grid(FieldReader& fields, std::optional<std::pair<std::uint32_t, std::uint32_t>>& grid) {
  std::vector<double> sides;
  if (fields.is_text("grid")) {
    std::string text;
    fields.text("grid", text);
    if (text != "auto") fields.parsed("grid", grid, parse_grid);  // auto: not declared
  } else if (fields.has("grid") && (fields.decimals("grid", sides), !fields.failed())) {
    std::vector<std::string> words;
    for (const double side : sides) words.push_back(fmt::format("{}", side));
    const auto parsed = parse_grid(fmt::format("{}", fmt::join(words, "x")));
    parsed ? void(grid = *parsed) : fields.fail(parsed.error());
  }
}

void read_rows(FieldReader& fields, RowsSpec& spec) {
  fields.text("input", spec.source.input).text("sql", spec.source.sql).texts("extensions", spec.source.extensions);
  read_text_form(fields, spec.source.form);
  read_word<RowShape>(fields, "shape_of", spec.trips.shape,
                      {{"trips", RowShape::trips}, {"stops", RowShape::stops}, {"pings", RowShape::pings}});
  read_box(fields, spec.box);
  fields.text("bbox_from", spec.box_from);
  read_grid(fields, spec.grid);
  fields.text("zones", spec.zones.file).text("zone_id", spec.zones.id).names("levels", spec.zones.levels);
  fields.truth("overlaps", spec.zones.overlaps);
  read_model(fields, spec.trips);
  read_unit(fields, spec.unit);
  fields.text("bound_key", spec.trips.bound_key);
  read_clock(fields, spec.trips);
  ColumnNames& columns = spec.columns;
  fields.text("user", columns.user).text("trip", columns.trip).text("seq", columns.seq).text("time", columns.time);
  fields.text("lat", columns.lat).text("lng", columns.lng);
  fields.parsed_each("points", columns.points, parse_point);
  read_zone_columns(fields, spec.trips.shape, columns.zones);
  fields.text("memory_limit", spec.memory_limit);
  for (const auto& [field, day] : {std::pair{"since", &spec.since}, std::pair{"until", &spec.until}}) {
    fields.parsed(field, *day, [&](const std::string& text) -> Result<std::int64_t> {
      if (const std::optional<std::int64_t> parsed = parse_day(text)) return *parsed;
      return usage_error(fmt::format("`{}` must be a day such as 2019-01-31, not \"{}\"", field, text));
    });
  }
  if (spec.since && spec.until && *spec.until < *spec.since)
    fields.fail(usage_error("`until` is before `since`\n  Both are days, and both count."));
  fields.text("where", spec.trips.where);
}

const std::vector<std::string>& fields_of_rows_alone() {
  static const std::vector<std::string> names = {
      "shape_of",      "bbox_from",  "grid",         "more_stops",    "stop_names",  "frames",
      "axes",          "time_unit",  "timezone",     "decimal_comma", "stay_metres", "stay_minutes",
      "run_gap_hours", "cut",        "cut_hours",    "bound_key",     "user",        "trip",
      "seq",           "time",       "lat",          "lng",           "points",      "zones",
      "zone_id",       "levels",     "zone_columns", "zone_column",   "overlaps",    "trip_axes",
      "sql",           "extensions", "since",        "until",         "where",       "period"};
  return names;
}

Result<Ingest> open_rows(const RowsSpec& spec, const Observer& observer, bool only_looking,
                         const std::string& temp_folder) {
  TripRequest request = spec.trips;
  if (Status s = declare(spec, request); !s) return s.error();
  if (Status s = spec.unit.check("So many of a person's trips are kept, chosen by a hash of user and trip."); !s)
    return s.error();
  if (!only_looking) {
    if (Status s = check_unit_is_there(spec); !s) return s.error();
  }
  request.max_trips_per_user = spec.unit.max_trips_per_user;
  if (spec.unit.per && request.spans.empty()) {
    const std::string_view kind = to_string(*spec.unit.per);
    return usage_error(
        fmt::format("`unit user-{}` goes with `period {}`\n  A series counts K trips for each {}.", kind, kind, kind));
  }
  if (request.spans.empty() && (spec.since || spec.until)) {
    constexpr std::int64_t kDay = 86'400'000;
    request.spans = {{spec.since.value_or(0) * kDay, (spec.until.value_or(50'000) + 1) * kDay}};
  }
  Result<Ingest> in = Ingest::open(spec.source, spec.columns, std::move(request),
                                   {observer.threads, spec.memory_limit, observer.interrupted, temp_folder});
  if (!in) return in.error();
  if (!spec.unit.unit && !only_looking) {
    if (Status s = check_unit_was_said(*in); !s) return s.error();
  }
  return in;
}

Result<SqlDialect::Engine> parse_engine(const std::string& name) {
  if (name == "duckdb") return SqlDialect::Engine::duckdb;
  if (name == "spark") return SqlDialect::Engine::spark;
  return usage_error(fmt::format("`engine` must be duckdb or spark, not \"{}\"", name));
}

std::string shapes_text(const std::vector<TripPart>& parts) {
  std::vector<std::string> shapes;
  for (const TripPart& part : parts) shapes.push_back(part.domain.shape_text());
  return fmt::format("{}", fmt::join(shapes, " and "));
}

}  // namespace stopover
