#include "ingest/ingest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/bad_input.h"
#include "base/byte_size.h"
#include "disk/private_folder.h"
#include "duck/duck_functions.h"
#include "geo/zone_locator.h"
#include "geo/zone_set_json.h"
#include "ingest/cells_file.h"
#include "ingest/lot.h"
#include "ingest/row_condition.h"
#include "ingest/user_bucket.h"

namespace stopover {
namespace {

struct Room {
  unsigned threads = 0;
  std::uint64_t memory = 0;  // DuckDB's part in bytes; 0: no limit was given
};

// DuckDB's limit is of what it keeps account of. What it does not, and what we need besides, is the other quarter.
// As many threads as are asked for and as the memory has room for. (DuckDB gives up on a plan like ours, instead of
// spilling, when a thread has less than about 100 MB.)
Result<Room> room_for(const IngestOptions& options) {
  if (options.memory_limit.empty()) return Room{options.threads, 0};
  constexpr std::uint64_t each = 128 * kMegabyte;
  const Result<std::uint64_t> bytes = parse_bytes(options.memory_limit);
  if (!bytes) return bytes.error();
  if (*bytes < each) {
    return Error{Failure::usage, fmt::format("`memory_limit {}` is too little to work with\n  Give at least {}MB.",
                                             options.memory_limit, each / kMegabyte)};
  }
  const std::uint64_t memory = std::max(each, *bytes / 4 * 3);
  const unsigned wanted = options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  return Room{static_cast<unsigned>(std::min<std::uint64_t>(wanted, memory / each)), memory};
}

// The view or table of all rows; `rows` is that of the bucket that is worked on.
constexpr std::string_view kAllRows = "all_rows";

std::string pieces(const std::string& folder) {
  return fmt::format("read_parquet({}, hive_partitioning = false)", quote_literal(folder + "/*.parquet"));
}

Error too_little_memory() {
  return {Failure::bad_input,
          "these rows need more memory than there is\n  Give a larger `memory_limit`, or fewer `threads`."};
}

bool has(const Source& source, const std::string& column) { return source.types().contains(column); }

Error no_column(const Source& source, const std::string& column, std::string_view flag) {
  const std::vector<std::string>& columns = source.columns();
  const std::vector<std::string> shown(columns.begin(),
                                       columns.begin() + std::min<std::ptrdiff_t>(std::ssize(columns), 20));
  return bad_input(fmt::format("there is no column {}\n  Name it with {}. Columns found: {}{}.{}", column, flag,
                               shown.empty() ? "none" : fmt::to_string(fmt::join(shown, ", ")),
                               shown.size() < columns.size() ? ", ..." : "", source.advice()));
}

// What was named must be there; what was not is taken if it has the usual name.
Status fill(const Source& source, const std::optional<std::string>& named, const std::string& usual,
            std::string_view flag, bool needed, std::string& column) {
  column.clear();
  if (named) {
    if (source.knows_columns() && !named->empty() && !has(source, *named)) return no_column(source, *named, flag);
    column = *named;
  } else if (!usual.empty() && (has(source, usual) || (needed && !source.knows_columns()))) {
    column = usual;
  } else if (needed) {
    return no_column(source, usual, flag);
  }
  return {};
}

// Columns of zone ids: of trips one for every stop, else the only one.
Status fill_zones(const Source& source, const ColumnNames& names, TripRequest& request) {
  const bool wide = request.shape == RowShape::trips;
  const std::string_view field = wide ? "zone_columns" : "zone_column";
  if (names.zones.size() != (wide ? request.stops() : 1)) {
    const std::string instead =
        wide && names.zones.size() > 2
            ? fmt::format("\n  Trips through places between need them declared: `stops od+{}`", names.zones.size() - 2)
            : "";
    return Error{Failure::usage, fmt::format("`{}` must name {}, not {}{}", field,
                                             wide ? fmt::format("{} columns, one for each stop", request.stops())
                                                  : std::string("one column"),
                                             names.zones.size(), instead)};
  }
  for (const std::string& column : names.zones) {
    if (source.knows_columns() && !has(source, column)) return no_column(source, column, fmt::format("`{}`", field));
  }
  if (!wide) {
    request.zone = names.zones[0];
    return {};
  }
  request.points = names.points;  // their times and categories, where there are any
  request.points.resize(request.stops());
  for (std::size_t i = 0; i < request.stops(); ++i) {
    PointColumns& point = request.points[i];
    point = {"", "", point.time, point.category, names.zones[i]};
  }
  return {};
}

Status fill_points(const Source& source, const ColumnNames& names, TripRequest& request) {
  if (request.by_zone_id()) return fill_zones(source, names, request);
  request.points = names.points;
  if (request.points.empty()) {
    const bool one_end = request.stops() == 1;
    if (!one_end || request.model == StopModel::first) request.points.push_back({"o_lat", "o_lng", "", "", ""});
    for (std::size_t i = 1; i + 1 < request.stops(); ++i) {
      request.points.push_back({fmt::format("v{}_lat", i), fmt::format("v{}_lng", i), "", "", ""});
    }
    if (!one_end || request.model == StopModel::last) request.points.push_back({"d_lat", "d_lng", "", "", ""});
  }
  if (!source.knows_columns()) return {};
  for (const PointColumns& point : request.points) {
    for (const std::string& column : {point.lat, point.lng, point.time, point.category}) {
      if (!column.empty() && !has(source, column))
        return no_column(source, column, "`points LAT,LNG[,TIME[,CATEGORY]]`");
    }
  }
  return {};
}

Status fill_columns(const Source& source, const ColumnNames& names, TripRequest& request) {
  const bool wide = request.shape == RowShape::trips;
  // JSON lines do not say what they have: there the usual names are taken where the rules need a column.
  const bool frames = request.model == StopModel::frames, guess = !source.knows_columns();
  const bool by_user = request.max_trips_per_user || request.shape == RowShape::pings || frames;
  const bool by_trip = request.shape == RowShape::stops && !frames;
  if (Status s = fill(source, names.user, "uid", "`user`", guess && by_user, request.user); !s) return s;
  const std::string usual_trip = request.shape == RowShape::pings || request.model == StopModel::frames ? "" : "tid";
  if (Status s = fill(source, names.trip, usual_trip, "`trip`", guess && by_trip, request.trip); !s) return s;
  for (const ExtraAxis& axis : request.trip_axes) {
    if (source.knows_columns() && !axis.column.empty() && !has(source, axis.column)) {
      return no_column(source, axis.column, "`trip_axes`");
    }
  }
  if (wide && !request.spans.empty()) {
    if (Status s = fill(source, names.time, "datetime", "`time`", true, request.time); !s) return s;
  }
  if (wide) return fill_points(source, names, request);
  if (Status s = fill(source, names.seq, "", "`seq`", false, request.seq); !s) return s;
  if (Status s = fill(source, names.time, "datetime", "`time`",
                      request.needs_time() || !request.spans.empty() || (guess && by_trip && request.seq.empty()),
                      request.time);
      !s)
    return s;
  if (request.by_zone_id()) {
    if (Status s = fill_zones(source, names, request); !s) return s;
  } else {
    if (Status s = fill(source, names.lat, "lat", "`lat`", true, request.lat); !s) return s;
    if (Status s = fill(source, names.lng, "lng", "`lng`", true, request.lng); !s) return s;
  }
  for (const ExtraAxis& axis : request.axes) {
    if (source.knows_columns() && !axis.column.empty() && !has(source, axis.column)) {
      return no_column(source, axis.column, "`axes category:COLUMN=...`");
    }
  }
  return {};
}

// Which of the spans a time lies in. A function and no SQL: there may be a thousand of them, and DuckDB would work out
// the time anew for every comparison.
class SpanTable {
 public:
  SpanTable(const TripRequest& request, TimeZone zone) : day_types_(request.day_types), zone_(std::move(zone)) {
    for (const TimeSpan& span : request.spans) entries_.push_back({span, std::ssize(entries_)});
    for (const TimeSpan& span : request.late) entries_.push_back({span, kLateSpan});
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.span.since < b.span.since; });
  }
  // -1: in none. Of day types, those of the first span, then of the second, ...
  std::int64_t number(double utc_ms) const {
    const std::int64_t ms = zone_.local(static_cast<std::int64_t>(utc_ms));
    const auto later = std::upper_bound(entries_.begin(), entries_.end(), ms,
                                        [](std::int64_t at, const Entry& entry) { return at < entry.span.since; });
    if (later == entries_.begin() || ms >= std::prev(later)->span.until) return -1;
    const std::int64_t span = std::prev(later)->number;
    if (day_types_.empty() || span == kLateSpan) return span;
    const std::int64_t day = ms / kDayMs - (ms % kDayMs < 0 ? 1 : 0);
    for (std::size_t type = 0; type < day_types_.size(); ++type) {
      if (day_types_[type].holds(day)) return span * std::ssize(day_types_) + static_cast<std::int64_t>(type);
    }
    return -1;
  }

 private:
  struct Entry {
    TimeSpan span;
    std::int64_t number;
  };
  static constexpr std::int64_t kDayMs = 86'400'000;
  std::vector<Entry> entries_;
  std::vector<DayType> day_types_;
  TimeZone zone_;
};

}  // namespace

Result<Ingest> Ingest::open(const SourceRequest& source_request, const ColumnNames& names, TripRequest request,
                            const IngestOptions& options) {
  const Result<Room> room = room_for(options);
  if (!room) return room.error();
  Result<DuckSession> duck =
      DuckSession::open({.threads = room->threads,
                         .memory_limit = room->memory > 0 ? fmt::format("{}MB", room->memory / kMegabyte) : "",
                         .interrupted = options.interrupted,
                         .temp_folder = options.temp_folder,
                         .extremes = request.where.empty()});  // a condition may fail on a far-off date
  if (!duck) return duck.error();
  Result<Source> source = Source::open(*duck, source_request);
  if (!source) return source.error();
  Ingest in(std::move(*duck), std::move(*source));
  in.options_ = options;
  in.memory_ = room->memory;
  in.request_ = std::move(request);
  if (Status s = fill_columns(in.source_, names, in.request_); !s) return s.error();
  Result<std::vector<std::string>> read = columns_of_condition(in.duck_, in.request_.where);
  if (!read) return read.error();
  for (const std::string& column : *read) {
    if (in.source_.knows_columns() && !has(in.source_, column)) return no_column(in.source_, column, "`where`");
  }
  in.request_.where_columns = std::move(*read);
  if (Status s = check_request(in.request_); !s) return s.error();
  Result<std::vector<TripPart>> parts = trip_parts(in.request_);
  if (!parts) return parts.error();
  in.parts_ = std::move(*parts);
  Result<TimeZone> zone = TimeZone::named(in.duck_, in.request_.timezone);
  if (!zone) return zone.error();
  in.zone_ = std::move(*zone);
  const std::vector<std::string> wanted = wanted_columns(in.request_);
  Result<TripPlan> plan = in.plan(SqlDialect::Engine::duckdb);
  if (!plan) return plan.error();
  in.plan_ = std::move(*plan);
  if (Status s = add_text_hash(in.duck_, "lot", &lot_of); !s) return s.error();
  if (in.request_.zones && !in.request_.zones_by_id) {
    Result<ZoneLocator> made = ZoneLocator::make(*in.request_.zones);
    if (!made) return made.error();
    const auto locator = std::make_shared<const ZoneLocator>(std::move(*made));
    const auto lookup = [locator](double x, double y) { return locator->locate(x, y); };
    if (Status s = add_point_lookup(in.duck_, "zone_at", lookup); !s) return s.error();
  }
  if (!in.request_.spans.empty()) {
    const auto lookup = [spans = SpanTable(in.request_, in.zone_)](double ms, double) { return spans.number(ms); };
    if (Status s = add_point_lookup(in.duck_, "span_at", lookup); !s) return s.error();
  }
  if (Status s = in.source_.make_views(in.duck_, wanted); !s) return s.error();
  for (const std::string& from : in.plan_.conditioned) {
    if (Status s = in.duck_.run(fmt::format("EXPLAIN SELECT 1 FROM {}", from)); !s) {
      return Error{Failure::usage,
                   fmt::format("`where {}` does not fit the columns\n  {}\n  Columns of CSV and JSON are "
                               "texts: `where CAST(fare AS DOUBLE) > 0`",
                               in.request_.where, s.error().message)};
    }
  }
  return in;
}

Result<TripPlan> Ingest::plan(SqlDialect::Engine engine) const {
  return plan_trips(request_, source_.views(wanted_columns(request_), engine), zone_,
                    SqlDialect(engine, request_.decimal_comma));
}

Status Ingest::load() {
  if (loaded_) return {};
  for (const PlanStep& step : plan_.steps) {
    const bool rows = step.name == "rows", once = rows && source_.kind() == Source::Kind::text;
    const std::string_view name = rows ? kAllRows : std::string_view(step.name);
    if (Status s = duck_.run(fmt::format("CREATE TEMP {} {} AS {}", once ? "TABLE" : "VIEW", name, step.sql)); !s) {
      return source_.fault() ? Status(*source_.fault()) : s;
    }
    if (!rows) continue;
    if (Status s = take(UserBucket()); !s) return s;
  }
  loaded_ = true;
  return {};
}

Status Ingest::take(const UserBucket& bucket) {
  return duck_.run(fmt::format("CREATE OR REPLACE TEMP VIEW rows AS {}",
                               bucket.select_from(std::string(kAllRows), bucket_columns(request_))));
}

Result<std::uint64_t> Ingest::first_buckets() {
  if (bucket_columns(request_).empty()) return std::uint64_t{1};
  if (options_.buckets > 0) return options_.buckets;
  // Of a query nobody knows without running it.
  if (memory_ == 0 || source_.kind() == Source::Kind::sql) return std::uint64_t{1};
  const Result<PrivateFacts> rows = one_row("SELECT count(*) AS rows_read FROM rows");
  if (!rows) return rows.error();
  return buckets_for(rows->front().second, parts_.back().domain.d(), memory_);
}

Status Ingest::in_buckets(std::uint64_t first, const std::function<Status(const UserBucket&)>& work) {
  const Status done = each_bucket(first, [&](const UserBucket& bucket) {
    if (options_.interrupted()) return Status(Error{Failure::interrupted, "interrupted"});
    if (bucket.of > 1 && bucket_columns(request_).empty()) return Status(too_little_memory());
    if (Status s = take(bucket); !s) return s;
    return work(bucket);
  });
  if (Status s = take(UserBucket()); !s) return s;
  return done;
}

Result<PrivateFacts> Ingest::one_row(const std::string& sql) {
  if (Status s = load(); !s) return s.error();
  Result<DuckRows> rows = duck_.query(sql);
  if (!rows) return rows.error();
  const Result<bool> more = rows->next();
  if (!more) return more.error();
  STOPOVER_CHECK(*more && rows->size() == 1, "facts are one row");
  PrivateFacts facts;
  for (std::size_t c = 0; c < rows->columns(); ++c) {
    facts.emplace_back(rows->name(c), static_cast<std::uint64_t>(rows->column<std::int64_t>(c)[0]));
  }
  return facts;
}

Result<PrivateFacts> Ingest::row_facts() {
  Result<PrivateFacts> facts = one_row(plan_.row_facts);
  if (!facts) return facts.error();
  const LineCounts& lines = source_.lines();
  facts->emplace_back("unreadable", lines.unreadable);
  facts->emplace_back("odd_quotes", lines.odd_quotes);
  std::uint64_t files = 0;
  const std::vector<std::size_t> sizes = source_.files(wanted_columns(request_));
  for (const std::ptrdiff_t view : plan_.lacking) files += sizes.empty() ? 0 : sizes[static_cast<std::size_t>(view)];
  facts->emplace_back("lacking_files", files);
  if (source_.form().encoding != TextEncoding::utf8) return facts;
  facts->emplace_back("not_utf8", lines.not_utf8);
  if (!source_.knows_columns()) return facts;  // JSON lines have no other encoding
  facts->emplace_back("like_latin1", lines.like_latin1);
  facts->emplace_back("like_windows1252", lines.like_windows1252);
  return facts;
}

Result<PrivateFacts> Ingest::trip_facts() {
  if (!request_.max_trips_per_user) return one_row("SELECT count(*) AS trips FROM trips");
  if (Status s = load(); !s) return s.error();
  const Result<std::uint64_t> first = first_buckets();
  if (!first) return first.error();
  PrivateFacts sum;
  const Status done = in_buckets(*first, [&](const UserBucket&) {
    const Result<PrivateFacts> facts = one_row(
        "SELECT (SELECT count(DISTINCT person) FROM trips) AS users, (SELECT count(*) FROM trips) AS trips, (SELECT "
        "count(*) FROM kept) AS kept_trips");
    if (!facts) return Status(facts.error());
    if (sum.empty()) {
      sum = *facts;
    } else {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i].second += (*facts)[i].second;
    }
    return Status();
  });
  if (!done) return done.error();
  return sum;
}

Result<std::vector<std::vector<std::uint64_t>>> Ingest::figures(const std::string& sql) {
  if (Status s = load(); !s) return s.error();
  Result<DuckRows> rows = duck_.query(fmt::format("SELECT CAST(COLUMNS(*) AS UBIGINT) FROM ({})", sql));
  if (!rows) return rows.error();
  std::vector<std::vector<std::uint64_t>> found;
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.error();
    if (!*more) return found;
    for (std::size_t row = 0; row < rows->size(); ++row) {
      auto& values = found.emplace_back();
      for (std::size_t c = 0; c < rows->columns(); ++c) values.push_back(rows->column<std::uint64_t>(c)[row]);
    }
  }
}

Result<std::vector<Matrix>> Ingest::matrices() {
  for (const TripPart& part : parts_) {
    if (Status s = part.domain.check_keys(); !s) return s.error();
  }
  if (Status s = load(); !s) return s.error();
  const bool spans = !request_.spans.empty() && !request_.spans_together;
  std::vector<MatrixBuilder> builders;
  const std::size_t times = spans ? request_.spans.size() * std::max<std::size_t>(1, request_.day_types.size()) : 1;
  for (std::size_t span = 0; span < times; ++span) {
    for (const TripPart& part : parts_) builders.emplace_back(part.domain);
  }
  std::vector<std::string> columns = {
      fmt::format("CAST({} AS UINTEGER)", spans ? "span" : "0"),
      fmt::format("CAST({} AS UINTEGER)", parts_.size() > 1 ? "stops" : std::to_string(parts_[0].stops))};
  const std::size_t most = parts_.back().domain.d();
  // A part with fewer stops has no cells on the last axes.
  for (const Axis& axis : parts_.back().domain.axes())
    columns.push_back(fmt::format("CAST(coalesce({}, 0) AS UINTEGER)", axis.name));
  const std::string sql = fmt::format("SELECT {}, CAST(\"count\" AS UBIGINT) FROM cells", fmt::join(columns, ", "));
  const Result<std::uint64_t> first = first_buckets();
  if (!first) return first.error();
  std::array<std::uint32_t, kMaxAxes> cell{};
  const Status done = in_buckets(*first, [&](const UserBucket&) {
    Result<DuckRows> rows = duck_.query(sql);
    if (!rows) return Status(rows.error());
    for (bool begun = false;; begun = true) {
      const Result<bool> more = rows->next();
      // What was added cannot be taken back, so this bucket cannot be halved any more.
      if (!more) return Status(begun && is_out_of_memory(more.error()) ? too_little_memory() : more.error());
      if (!*more) return Status();
      if (options_.interrupted()) return Status(Error{Failure::interrupted, "interrupted"});
      for (std::size_t row = 0; row < rows->size(); ++row) {
        std::size_t part = 0;
        while (parts_[part].stops != rows->column<std::uint32_t>(1)[row]) ++part;
        const std::size_t d = parts_[part].domain.d();
        for (std::size_t a = 0; a < d; ++a) cell[a] = rows->column<std::uint32_t>(2 + a)[row];
        builders[rows->column<std::uint32_t>(0)[row] * parts_.size() + part].add(
            std::span(cell.data(), d), rows->column<std::uint64_t>(2 + most)[row]);
      }
    }
  });
  if (!done) return done.error();
  std::vector<Matrix> matrices;
  for (MatrixBuilder& builder : builders) matrices.push_back(std::move(builder).build());
  return matrices;
}

Result<std::vector<std::string>> Ingest::pieces_in(const std::string& folder, std::uint64_t buckets) {
  std::vector<std::string> files;
  const Status done = in_buckets(buckets, [&](const UserBucket& bucket) {
    const std::string file = fmt::format("{}/cells-{}-of-{}.parquet", folder, bucket.number, bucket.of);
    if (Status s = stopover::write_cells(duck_, "cells", {parts_, request_.max_trips_per_user}, file); !s) {
      std::error_code ignored;
      std::filesystem::remove(file, ignored);
      return s;
    }
    files.push_back(file);
    return Status();
  });
  if (!done) return done.error();
  return files;
}

Status Ingest::write_cells(const std::string& path) {
  const CellsFacts facts = {parts_, request_.max_trips_per_user};
  if (Status s = load(); !s) return s;
  const Result<std::uint64_t> first = first_buckets();
  if (!first) return first.error();
  if (*first == 1) {
    const Status done = stopover::write_cells(duck_, "cells", facts, path);
    if (done || !is_out_of_memory(done.error())) return done;
    if (bucket_columns(request_).empty()) return too_little_memory();
  }
  Result<PrivateFolder> folder =
      PrivateFolder::make(options_.temp_folder.empty() ? temporary_place() : options_.temp_folder, "stopover-cells-");
  if (!folder) return folder.error();
  const Result<std::vector<std::string>> files = pieces_in(folder->path(), std::max<std::uint64_t>(2, *first));
  if (!files) return files.error();
  std::string cell = parts_.size() > 1 ? "stops" : "";
  for (const Axis& axis : parts_.back().domain.axes()) cell += (cell.empty() ? "" : ", ") + quote_identifier(axis.name);
  const std::string together =
      fmt::format("(SELECT {0}, sum(\"count\") AS \"count\" FROM {1} GROUP BY {0})", cell, pieces(folder->path()));
  const Status done = stopover::write_cells(duck_, together, facts, path);
  return !done && is_out_of_memory(done.error()) ? Status(too_little_memory()) : done;
}

Result<std::vector<std::string>> Ingest::write_pieces(const std::string& folder) {
  if (Status s = load(); !s) return s.error();
  const Result<std::uint64_t> first = first_buckets();
  if (!first) return first.error();
  return pieces_in(folder, *first);
}

Result<std::string> Ingest::plan_json(SqlDialect::Engine engine) const {
  if (engine == SqlDialect::Engine::spark && !request_.spans.empty()) {
    return Error{Failure::usage, "`since` and `until` do not go with `engine spark`\n  Leave out one of them."};
  }
  if (engine == SqlDialect::Engine::spark && !request_.where.empty()) {
    return Error{Failure::usage,
                 "`where` is DuckDB's SQL, which `engine spark` does not speak\n  Leave out one of them."};
  }
  const Result<TripPlan> made = plan(engine);
  if (!made) return made.error();
  const Result<std::string> described = source_.description(wanted_columns(request_));
  if (!described) return described.error();
  nlohmann::ordered_json out;
  out["source"] = nlohmann::json::parse(*described);
  for (const PlanStep& step : made->steps) out["steps"].push_back({{"name", step.name}, {"sql", step.sql}});
  // What the function `zone_at` looks places up in. Public.
  if (request_.zones && !request_.zones_by_id) out["zones"] = zone_set_text(*request_.zones);
  return out.dump(1);
}

Result<std::string> Ingest::plan_sql(SqlDialect::Engine engine) const {
  const Result<TripPlan> made = plan(engine);
  if (!made) return made.error();
  std::string text;
  for (const PlanStep& step : made->steps) text += fmt::format("CREATE TEMP VIEW {} AS\n{};\n\n", step.name, step.sql);
  text.pop_back();
  return text;
}

Status Ingest::adopt_cells(const std::string& folder, const std::string& path) {
  return stopover::write_cells(duck_, pieces(folder), {parts_, request_.max_trips_per_user}, path);
}

}  // namespace stopover
