#include "ingest/trip_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/portable_math.h"

namespace stopover {
namespace {

constexpr std::int64_t kDay = 86'400'000;
constexpr int kMostStayDays = 8;
constexpr double kMetresPerDegree = 111'195;
constexpr const char* kNullText = "CAST(NULL AS STRING)";

class Planner {
 public:
  Planner(const TripRequest& request, const std::vector<SourceView>& views, const TimeZone& zone,
          const SqlDialect& dialect)
      : r_(request), views_(views), zone_(zone), dialect_(dialect), lists_(views.size()) {}

  Result<TripPlan> make() {
    conditions();
    if (Status s = r_.shape == RowShape::trips ? wide_rows() : long_rows(); !s) return s.error();
    row_facts();
    if (r_.shape == RowShape::trips) {
      wide_trips();
    } else {
      if (r_.shape == RowShape::pings) {
        stays();
      } else {
        stops();
      }
      if (r_.model == StopModel::frames) {
        frames();
      } else {
        sequences();
      }
    }
    bound();
    return std::move(plan_);
  }

 private:
  void step(std::string name, std::string sql) { plan_.steps.push_back({std::move(name), std::move(sql)}); }
  std::size_t places() const { return r_.zones ? 1 : 2; }  // axes of a stop's place
  std::size_t width() const { return places() + r_.axes.size(); }
  std::size_t d() const { return r_.stops() * width() + r_.trip_axes.size(); }
  // Rows of different spans of time are as far apart as those of different people: they never meet.
  bool has_spans() const { return !r_.spans.empty(); }
  std::string who() const { return has_spans() ? "person, span" : "person"; }
  // Whose trips are bounded together: those of all day types of a span.
  std::string bounded() const {
    return by_day_type() ? fmt::format("person, span - span % {}", r_.day_types.size()) : who();
  }
  bool by_day_type() const { return r_.day_types.size() > 1; }
  // What a place is told by in rows and stays: sorted by, it tells any two apart.
  const char* place_columns() const { return r_.by_zone_id() ? "z" : "x, y"; }

  // "c0, c1" or "a0, a1, a2, a3"
  static std::string names(char letter, std::size_t n) {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < n; ++i) list.push_back(fmt::format("{}{}", letter, i));
    return fmt::format("{}", fmt::join(list, ", "));
  }
  static std::string all_there(char letter, std::size_t n) {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < n; ++i) list.push_back(fmt::format("{}{} IS NOT NULL", letter, i));
    return fmt::format("{}", fmt::join(list, " AND "));
  }

  // Of a value that is inside.
  static std::string cell(const std::string& value, double lower, double upper, std::uint32_t cells) {
    return fmt::format("LEAST(TRY_CAST(floor(({} - {}) * {} / {}) AS INTEGER), {})", value, sql_double(lower),
                       sql_double(cells), sql_double(upper - lower), cells - 1);
  }
  std::string inside(const std::string& x, const std::string& y) const {
    return fmt::format("{0} >= {1} AND {0} < {2} AND {3} >= {4} AND {3} < {5}", x, sql_double(r_.box.west),
                       sql_double(r_.box.east), y, sql_double(r_.box.south), sql_double(r_.box.north));
  }

  // Whether a point can be counted at all, before its cell is known. `n` is the number of the point, or "".
  std::string usable_place(const std::string& n) const {
    return r_.by_zone_id() ? fmt::format("z{} IS NOT NULL", n) : inside("x" + n, "y" + n);
  }
  std::vector<std::string> place_cells(const std::string& n) const {
    if (r_.by_zone_id()) return {"z" + n};
    if (r_.zones) return {fmt::format("zone_at(x{0}, y{0})", n)};
    return {cell("x" + n, r_.box.west, r_.box.east, r_.columns), cell("y" + n, r_.box.south, r_.box.north, r_.rows)};
  }

  // The cells of one stop, in the order of its axes.
  std::vector<std::string> stop_cells(const std::string& n, const std::string& local_ms,
                                      const std::string& category) const {
    std::vector<std::string> cells = place_cells(n);
    for (const ExtraAxis& axis : r_.axes) cells.push_back(axis.kind->cell(axis, local_ms, category));
    return cells;
  }

  std::string category_of(const ExtraAxis& axis, const std::string& text) const {
    std::string sql = fmt::format("CASE {}", text);
    for (std::size_t i = 0; i < axis.labels.size(); ++i) {
      sql += axis.labels[i] == "*" ? fmt::format(" ELSE {}", i)
                                   : fmt::format(" WHEN {} THEN {}", dialect_.literal(axis.labels[i]), i);
    }
    return sql + " END";
  }
  bool has_category() const { return r_.labelled_axis() != nullptr; }
  bool has_clock() const { return r_.needs_time(); }
  bool by_count() const { return r_.model == StopModel::counts; }

  // What `read` makes of a column of some type, for every view: `missing` where it cannot, an error where it can for
  // none.
  template <typename Value, typename Read>
  Result<std::vector<Value>> in_every_view(const std::string& column, const Read& read, const Value& missing) {
    std::vector<Value> values;
    std::optional<Error> refused;
    bool found = false;
    for (const SourceView& view : views_) {
      const auto type = view.types.find(column);
      Result<Value> value = type == view.types.end() ? Result<Value>(missing) : read(type->second);
      if (!value && !refused) refused = value.error();
      const bool there = value && type != view.types.end();
      found = found || there;
      if (!there) plan_.lacking.insert(&view - views_.data());
      values.push_back(value ? std::move(*value) : missing);
    }
    if (!found && refused) return *refused;
    return values;
  }
  // Adds `expression AS name` to the list of every view.
  void select_all(const std::vector<std::string>& expressions, std::string_view name) {
    for (std::size_t i = 0; i < lists_.size(); ++i) lists_[i].push_back(fmt::format("{} AS {}", expressions[i], name));
  }
  void select_all(const std::string& expression, std::string_view name) {
    select_all(std::vector<std::string>(lists_.size(), expression), name);
  }
  Status select_number(const std::string& column, std::string_view name) {
    const auto numbers = in_every_view<std::string>(
        column, [&](const std::string& type) { return dialect_.number(column, type); }, "CAST(NULL AS DOUBLE)");
    if (!numbers) return numbers.error();
    select_all(*numbers, name);
    return {};
  }
  Result<std::vector<std::string>> texts(const std::string& column) {
    return in_every_view<std::string>(
        column, [&](const std::string& type) { return dialect_.text(column, type); }, kNullText);
  }
  Status select_category(const ExtraAxis& axis, const std::string& column, std::string_view name) {
    Result<std::vector<std::string>> values = texts(column);
    if (!values) return values.error();
    for (std::string& value : *values) value = category_of(axis, value);
    select_all(*values, name);
    return {};
  }
  Status select_time(const std::string& column, const std::string& name) {
    const auto times = in_every_view<SqlTime>(
        column, [&](const std::string& type) { return dialect_.time(column, type, r_.time_unit_ms); },
        {"CAST(NULL AS BIGINT)", "0"});
    if (!times) return times.error();
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      lists_[i].push_back(fmt::format("{} AS {}_raw", (*times)[i].ms, name));
      lists_[i].push_back(fmt::format("{} AS {}_is_local", (*times)[i].local, name));
    }
    return {};
  }
  // The time in UTC out of what select_time made.
  std::string utc(const std::string& name) const {
    const std::string raw = name + "_raw", shifted = zone_.to_utc(raw);
    const std::string ms =
        shifted == raw ? raw : fmt::format("CASE WHEN {}_is_local = 1 THEN {} ELSE {} END", name, shifted, raw);
    return fmt::format("{} AS {}", ms, name);
  }
  static std::string in_range(const std::string& name) {
    return fmt::format("CASE WHEN {0} >= 0 AND {0} < 4102444800000 THEN {0} END AS {0}", name);
  }

  // Texts; but BIGINTs, which are quicker to group by, for wide rows where no view holds anything else. Either way 7 is
  // the same id as '7', and has the same lot.
  Result<std::vector<std::string>> id(const std::string& column) {
    const auto whole = [&](const SourceView& view) {
      const auto type = view.types.find(column);
      return type == view.types.end() || SqlDialect::holds_bigints(type->second);
    };
    if (r_.shape != RowShape::trips || !std::all_of(views_.begin(), views_.end(), whole)) return texts(column);
    const std::string value = fmt::format("CAST({} AS BIGINT)", dialect_.identifier(column));
    return in_every_view<std::string>(
        column, [&](const std::string&) { return Result<std::string>(value); }, "CAST(NULL AS BIGINT)");
  }

  Status ids() {
    Result<std::vector<std::string>> person(std::vector<std::string>(views_.size(), "''"));
    if (!r_.user.empty()) person = id(r_.user);
    if (!person) return person.error();
    // Where one trip is the unit, a user id only keeps apart trips of the same name.
    const bool by_user = r_.max_trips_per_user || r_.shape == RowShape::pings || r_.model == StopModel::frames;
    if (!by_user && r_.shape != RowShape::trips) {
      for (std::string& value : *person) value = fmt::format("coalesce({}, '')", value);
    }
    select_all(*person, "person");
    if (r_.trip.empty()) {
      select_all(kNullText, "trip");
      return {};
    }
    const Result<std::vector<std::string>> trip = id(r_.trip);
    if (!trip) return trip.error();
    select_all(*trip, "trip");
    return {};
  }

  // The views `read` (in the engine's words), `zoned` (UTC) and `rows`; without times `rows` alone.
  void rows_steps(const std::vector<std::string>& plain, const std::vector<std::string>& times) {
    std::vector<std::string> selects;
    for (std::size_t i = 0; i < views_.size(); ++i)
      selects.push_back(fmt::format("SELECT {} FROM {}{}", fmt::join(lists_[i], ", "), views_[i].name, wheres_[i]));
    const std::string first = fmt::format("{}", fmt::join(selects, " UNION ALL "));
    // Ids of zones become their numbers by a public table; an id that is none of them is missing.
    const char* last = !zone_ids_.empty() ? "named" : rows_name();
    if (times.empty()) {
      step(last, first);
      return number_zones();
    }
    std::vector<std::string> zoned = plain, ranged = plain;
    for (const std::string& time : times) {
      zoned.push_back(utc(time));
      ranged.push_back(in_range(time));
    }
    step("read", first);
    step("zoned", fmt::format("SELECT {} FROM read", fmt::join(zoned, ", ")));
    step(last, fmt::format("SELECT {} FROM zoned", fmt::join(ranged, ", ")));
    number_zones();
    if (has_spans()) step("rows", "SELECT *, span_at(CAST(ms AS DOUBLE), 0E0) AS span FROM any_time");
  }
  const char* rows_name() const { return has_spans() ? "any_time" : "rows"; }

  // A row that the condition is not true of, or cannot be judged by it, is no row of the source.
  void conditions() {
    wheres_.resize(views_.size());
    if (r_.where.empty()) return;
    for (std::size_t i = 0; i < views_.size(); ++i) {
      const bool there = std::all_of(r_.where_columns.begin(), r_.where_columns.end(), [&](const std::string& column) {
        const auto type = views_[i].types.find(column);
        return type != views_[i].types.end() && type->second != kMilliseconds;
      });
      if (!there) plan_.lacking.insert(static_cast<std::ptrdiff_t>(i));
      if (there) plan_.conditioned.push_back(fmt::format("{}{}", views_[i].name, condition()));
      wheres_[i] = there ? condition() : " WHERE false";
    }
  }
  std::string condition() const { return fmt::format(" WHERE TRY(CAST((\n{}\n) AS BOOLEAN)) IS TRUE", r_.where); }

  void number_zones() {
    if (zone_ids_.empty()) return;
    std::vector<std::string> values;
    for (std::size_t i = 0; i < r_.zones->size(); ++i) {
      values.push_back(fmt::format("({}, {})", dialect_.literal((*r_.zones)[i].id), i));
    }
    step("zone_numbers", fmt::format("SELECT * FROM (VALUES {}) AS t(id, number)", fmt::join(values, ", ")));
    std::string list, joins;
    for (const std::string& n : zone_ids_) {
      list += fmt::format(", k{0}.number AS z{0}", n);
      joins += fmt::format(" LEFT JOIN zone_numbers k{0} ON k{0}.id = named.zone_id{0}", n);
    }
    step(rows_name(), fmt::format("SELECT named.*{} FROM named{}", list, joins));
  }

  Status wide_rows() {
    std::vector<std::string> plain = {"person", "trip"}, times;
    if (Status s = ids(); !s) return s;
    for (std::size_t i = 0; i < r_.points.size(); ++i) {
      const PointColumns& point = r_.points[i];
      if (Status s = select_place(point.zone, point.lng, point.lat, std::to_string(i), plain); !s) return s;
      if (has_category()) {
        if (Status s = select_category(*r_.labelled_axis(), point.category, fmt::format("g{}", i)); !s) return s;
        plain.push_back(fmt::format("g{}", i));
      }
      if (!has_clock()) continue;
      times.push_back(fmt::format("ms{}", i));
      if (Status s = select_time(point.time, times.back()); !s) return s;
    }
    for (std::size_t j = 0; j < r_.trip_axes.size(); ++j) {
      const ExtraAxis& axis = r_.trip_axes[j];
      if (axis.kind->needs_time) {
        times.push_back(fmt::format("trip_ms{}", j));
        if (Status s = select_time(axis.column, times.back()); !s) return s;
      } else if (Status s = select_trip_label(j, plain); !s) {
        return s;
      }
    }
    if (has_spans()) {
      times.emplace_back("ms");
      if (Status s = select_time(r_.time, "ms"); !s) return s;
    }
    rows_steps(plain, times);
    return {};
  }

  Status long_rows() {
    std::vector<std::string> plain = {"person", "trip"}, times;
    if (Status s = ids(); !s) return s;
    if (Status s = select_place(r_.zone, r_.lng, r_.lat, "", plain); !s) return s;
    if (uses_seq()) {
      if (Status s = select_number(r_.seq, "seq"); !s) return s;
      plain.emplace_back("seq");
    }
    if (has_category()) {
      if (Status s = select_category(*r_.labelled_axis(), r_.labelled_axis()->column, "g"); !s) return s;
      plain.emplace_back("g");
    }
    for (std::size_t j = 0; j < r_.trip_axes.size(); ++j) {
      if (r_.trip_axes[j].kind->needs_time) continue;  // that of the first stop
      if (Status s = select_trip_label(j, plain); !s) return s;
    }
    if (!r_.time.empty()) {
      times.emplace_back("ms");
      if (Status s = select_time(r_.time, "ms"); !s) return s;
    }
    rows_steps(plain, times);
    return {};
  }
  // Coordinates, or the text of a zone's id.
  Status select_place(const std::string& zone, const std::string& lng, const std::string& lat, const std::string& n,
                      std::vector<std::string>& plain) {
    if (!r_.by_zone_id()) {
      if (Status s = select_number(lng, "x" + n); !s) return s;
      if (Status s = select_number(lat, "y" + n); !s) return s;
      plain.push_back(fmt::format("x{0}, y{0}", n));
      return {};
    }
    const Result<std::vector<std::string>> values = texts(zone);
    if (!values) return values.error();
    select_all(*values, "zone_id" + n);
    plain.push_back("zone_id" + n);
    zone_ids_.push_back(n);
    return {};
  }
  Status select_trip_label(std::size_t j, std::vector<std::string>& plain) {
    plain.push_back(fmt::format("trip_label{}", j));
    return select_category(r_.trip_axes[j], r_.trip_axes[j].column, plain.back());
  }
  // Labels of trips that rows of stops carry: ", trip_label0".
  std::string trip_labels() const {
    std::string list;
    for (std::size_t j = 0; j < r_.trip_axes.size(); ++j) {
      if (!r_.trip_axes[j].kind->needs_time) list += fmt::format(", trip_label{}", j);
    }
    return list;
  }
  // The cell of a trip's own axis. `local_ms`: its time, where the axis needs one.
  std::string trip_cell(std::size_t j, const std::string& local_ms) const {
    const ExtraAxis& axis = r_.trip_axes[j];
    return axis.kind->cell(axis, local_ms, fmt::format("trip_label{}", j));
  }
  bool uses_seq() const { return r_.shape == RowShape::stops && r_.model != StopModel::frames && !r_.seq.empty(); }

  void row_facts() {
    const bool wide = r_.shape == RowShape::trips;
    std::vector<std::string> there, within, exchanged, inside_all;
    for (std::size_t i = 0; i < (wide ? r_.points.size() : 1); ++i) {
      const std::string n = wide ? std::to_string(i) : "", x = "x" + n, y = "y" + n;
      inside_all.push_back(usable_place(n));
      within.push_back(fmt::format("coalesce({}, false)", inside_all.back()));
      if (r_.by_zone_id()) {
        there.push_back(fmt::format("zone_id{} IS NOT NULL", n));
        continue;
      }
      if (r_.zones) {
        inside_all.back() += fmt::format(" AND zone_at({}, {}) IS NOT NULL", x, y);
        within.back() = fmt::format("coalesce({}, false)", inside_all.back());
      }
      there.push_back(fmt::format("coalesce(isfinite({}) AND isfinite({}), false)", x, y));
      exchanged.push_back(fmt::format("coalesce({}, false)", inside(y, x)));
    }
    const std::string is_there = fmt::format("{}", fmt::join(there, " AND "));
    const std::string is_within = fmt::format("{}", fmt::join(within, " AND "));
    const std::string is_exchanged = fmt::format("{}", fmt::join(exchanged, " AND "));
    std::vector<std::string> facts = {"(SELECT count(*) FROM rows) AS rows_read"}, usable;
    const auto count = [&](const std::string& condition, std::string_view name) {
      facts.push_back(fmt::format("count(*) FILTER (WHERE {}) AS {}", condition, name));
    };
    const auto count_missing = [&](std::string_view column, std::string_view name) {
      count(fmt::format("{} IS NULL", column), name);
      usable.push_back(fmt::format("{} IS NOT NULL", column));
    };
    if (!r_.user.empty()) count_missing("person", "without_user");
    if (!r_.trip.empty() && r_.shape == RowShape::stops && r_.model != StopModel::frames)
      count_missing("trip", "without_trip");
    if (uses_seq()) count_missing("seq", "without_order");
    if ((!wide && !r_.time.empty()) || has_spans()) count_missing("ms", "without_time");
    if (has_spans()) {
      count("ms IS NOT NULL AND span IS NULL", "outside_the_periods");
      count(fmt::format("span = {}", kLateSpan), "late");
      usable.push_back(in_time());
    }
    count(fmt::format("NOT ({})", is_there), r_.by_zone_id() ? "without_zone" : "without_position");
    count(fmt::format("({}) AND NOT ({})", is_there, is_within), r_.by_zone_id() ? "unknown_zone"
                                                                 : r_.zones      ? "outside_the_zones"
                                                                                 : "outside_the_box");
    if (!r_.by_zone_id()) count(fmt::format("({}) AND NOT ({})", is_exchanged, is_within), "exchanged");
    // Only rows with a fault are looked at closely: finding those is quick, and where a file's own statistics say that
    // there are none, it is not even read.
    usable.push_back(fmt::format("{}", fmt::join(inside_all, " AND ")));
    plan_.row_facts =
        fmt::format("SELECT {} FROM rows WHERE ({}) IS NOT TRUE", fmt::join(facts, ", "), fmt::join(usable, " AND "));
  }

  void wide_trips() {
    std::vector<std::string> list = {who(), "trip"};
    for (std::size_t i = 0; i < r_.points.size(); ++i) {
      const std::string local = has_clock() ? zone_.to_local(fmt::format("ms{}", i)) : "";
      const std::vector<std::string> cells = stop_cells(std::to_string(i), local, fmt::format("g{}", i));
      for (std::size_t c = 0; c < cells.size(); ++c)
        list.push_back(fmt::format("{} AS a{}", cells[c], i * width() + c));
    }
    const std::size_t own = r_.stops() * width();  // the first of the trip's own axes
    for (std::size_t j = 0; j < r_.trip_axes.size(); ++j) {
      list.push_back(fmt::format("{} AS a{}", trip_cell(j, zone_.to_local(fmt::format("trip_ms{}", j))), own + j));
    }
    // Positions are judged before cells are made of them: cheaper than looking at the cells.
    std::vector<std::string> usable;
    for (std::size_t i = 0; i < r_.points.size(); ++i) usable.push_back(usable_place(std::to_string(i)));
    for (std::size_t i = 1; has_clock() && i < r_.points.size(); ++i)
      usable.push_back(fmt::format("ms{} <= ms{}", i - 1, i));
    if (r_.max_trips_per_user) usable.emplace_back("person IS NOT NULL");
    if (has_spans()) usable.push_back(in_time());
    step("located", fmt::format("SELECT {} FROM rows WHERE {}", fmt::join(list, ", "), fmt::join(usable, " AND ")));
    std::vector<std::string> there;
    for (std::size_t a = 0; a < d(); ++a) {
      // A cell of the grid or a zone by its id is there, once its position is usable; in a zone a point need not lie.
      const bool sure = a < own && a % width() < places() && (!r_.zones || r_.by_zone_id());
      if (!sure) there.push_back(fmt::format("a{} IS NOT NULL", a));
    }
    step("trips", fmt::format("SELECT {}, trip, {} FROM located{}{}", who(), names('a', d()),
                              there.empty() ? "" : " WHERE ", fmt::join(there, " AND ")));
  }

  // `visits`: person, trip, seq, ms, until_ms, x, y (or z), c0, c1, ..., t0, t1, ..., good. Of the t's, cells of the
  // trip's own axes, those of its first stop count.
  void visits_step(const std::string& from) {
    const bool time = !r_.time.empty();
    std::vector<std::string> cells = stop_cells("", "local_ms", "g");
    for (std::size_t c = 0; c < places(); ++c) {
      cells[c] = fmt::format("CASE WHEN {} THEN {} END", usable_place(""), cells[c]);
    }
    for (std::size_t c = 0; c < cells.size(); ++c) cells[c] += fmt::format(" AS c{}", c);
    for (std::size_t j = 0; j < r_.trip_axes.size(); ++j) {
      cells.push_back(fmt::format("{} AS t{}", trip_cell(j, "local_ms"), j));
    }
    step("timed", fmt::format("SELECT *, {} AS local_ms FROM {}", time ? zone_.to_local("ms") : "0", from));
    step("placed", fmt::format("SELECT *, {} FROM timed", fmt::join(cells, ", ")));
    step("visits",
         fmt::format(
             "SELECT *, CASE WHEN {} AND ms IS NOT NULL AND seq IS NOT NULL THEN 1 ELSE 0 END AS good FROM placed",
             all_there('c', width())));
  }

  std::string in_time() const { return fmt::format("span < {}", kLateSpan); }
  std::string in_a_span() const { return has_spans() ? " AND " + in_time() : ""; }

  void stops() {
    const bool frames = r_.model == StopModel::frames;
    // A stop that is told twice is one stop.
    step("distinct_rows",
         fmt::format(
             "SELECT DISTINCT {} AS trip, {} AS seq, {} AS ms, {}, {}{}{} FROM rows WHERE person IS NOT NULL{}{}",
             frames ? "''" : "trip", uses_seq() ? "seq" : "0E0", r_.time.empty() ? "0" : "ms", who(), place_columns(),
             has_category() ? ", g" : "", trip_labels(), frames ? "" : " AND trip IS NOT NULL", in_a_span()));
    visits_step("distinct_rows");
  }

  void stays() {
    const double middle = (r_.box.south + r_.box.north) / 2 * 3.14159265358979323846 / 180;
    const double north = kMetresPerDegree / 1e7, east = north * portable_cos(middle);
    const auto squared = [&](const std::string& dx, const std::string& dy) {
      return fmt::format("({0}) * {1} * (({0}) * {1}) + ({2}) * {3} * (({2}) * {3})", dx, sql_double(east), dy,
                         sql_double(north));
    };
    const std::string g = has_category() ? ", g" : "";
    const bool by_id = r_.by_zone_id();
    // Where a ping was, as whole numbers: sums of them do not depend on their order.
    const std::string at = by_id ? "z" : "ex, ny",
                      order = fmt::format("PARTITION BY {}, stream ORDER BY ms, {}{}", who(), at, g);
    step("points",
         fmt::format(
             "SELECT DISTINCT {}, coalesce(trip, '') AS stream, ms, {}{} FROM rows WHERE person IS NOT NULL AND ms "
             "IS NOT NULL AND {}{}{}",
             who(),
             by_id ? "z" : "CAST(floor(x * 1E7 + 5E-1) AS BIGINT) AS ex, CAST(floor(y * 1E7 + 5E-1) AS BIGINT) AS ny",
             g, usable_place(""), has_category() ? " AND g IS NOT NULL" : "", in_a_span()));
    step("steps",
         fmt::format("SELECT *, ms - lag(ms) OVER w AS pause, {}{} FROM points WINDOW w AS ({})",
                     by_id ? "lag(z) OVER w AS former_z" : "ex - lag(ex) OVER w AS dx, ny - lag(ny) OVER w AS dy",
                     has_category() ? ", lag(g) OVER w AS former_g" : "", order));
    const std::string near =
        by_id ? "z = former_z"
              : fmt::format("{} <= {}", squared("dx", "dy"), sql_double(r_.stay_metres * r_.stay_metres));
    step("breaks", fmt::format("SELECT *, CASE WHEN pause <= {} AND {}{} THEN 0 ELSE 1 END AS breaks FROM steps",
                               r_.run_gap_ms, near, has_category() ? " AND g = former_g" : ""));
    step("runs",
         fmt::format(
             "SELECT *, sum(breaks) OVER ({} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS run FROM breaks",
             order));
    const std::string small = by_id ? ""
                                    : fmt::format(" AND {} <= {}", squared("max(ex) - min(ex)", "max(ny) - min(ny)"),
                                                  sql_double(4 * r_.stay_metres * r_.stay_metres));
    step("stays",
         fmt::format(
             "SELECT {0}, stream, min(ms) AS ms, max(ms) AS until_ms, {1}{2} FROM runs GROUP BY {0}, stream, run "
             "HAVING max(ms) - min(ms) >= {3}{4}",
             who(),
             by_id ? "max(z) AS z"
                   : "CAST(sum(ex) AS DOUBLE) / count(*) / 1E7 AS x, CAST(sum(ny) AS DOUBLE) / count(*) / 1E7 AS y",
             has_category() ? ", max(g) AS g" : "", r_.stay_ms, small));
    if (r_.model == StopModel::frames) {
      step("cut", "SELECT *, '' AS trip, 0E0 AS seq FROM stays");
    } else if (r_.cut_by_day) {
      step("cut", fmt::format("SELECT *, concat(CAST({} AS STRING), ' ', stream) AS trip, 0E0 AS seq FROM stays",
                              sql_day_of(zone_.to_local("ms"))));
    } else {
      const std::string by_time =
          fmt::format("PARTITION BY {}, stream ORDER BY ms, until_ms, {}{}", who(), place_columns(), g);
      step("pauses",
           fmt::format("SELECT *, CASE WHEN ms - lag(until_ms) OVER ({}) <= {} THEN 0 ELSE 1 END AS opens FROM stays",
                       by_time, r_.cut_gap_ms));
      // A trip is named after the moment it begins, not counted: so others' trips and earlier ones leave its name
      // alone.
      step("numbered", fmt::format("SELECT *, max(CASE WHEN opens = 1 THEN ms END) OVER ({}, opens DESC ROWS BETWEEN "
                                   "UNBOUNDED PRECEDING AND "
                                   "CURRENT ROW) AS began FROM pauses",
                                   by_time));
      step("cut", "SELECT *, concat(CAST(began AS STRING), ' ', stream) AS trip, 0E0 AS seq FROM numbered");
    }
    visits_step("cut");
  }

  // A domain stop's place among the n stops of a trip.
  std::string place_of(std::size_t stop) const {
    if (r_.model == StopModel::first) return "1";
    if (r_.model == StopModel::last) return "n";
    if (by_count() && !r_.spread) return std::to_string(stop + 1);
    if (by_count()) {
      return fmt::format("CASE WHEN n <= {0} THEN {1} ELSE 1 + CAST(floor({2} * (n - 1) / {3}) AS BIGINT) END",
                         r_.stops(), stop + 1, stop, r_.stops() - 1);
    }
    return fmt::format("1 + CAST(floor({} * (n - 1) / {}) AS BIGINT)", stop, r_.stops() - 1);
  }

  void sequences() {
    const std::string trip = fmt::format("PARTITION BY {}, trip", who());
    const std::string order =
        fmt::format("{} ORDER BY seq, ms, {}{}{}", trip, place_columns(), has_category() ? ", g" : "", trip_labels());
    const std::string own = r_.trip_axes.empty() ? "" : ", " + names('t', r_.trip_axes.size());
    step("ordered",
         fmt::format("SELECT {}, trip, {}{}, good, row_number() OVER ({}) AS place, count(*) OVER ({}) AS n, CASE WHEN "
                     "ms < lag(ms) OVER ({}) THEN 1 ELSE 0 END AS backwards FROM visits",
                     who(), names('c', width()), own, order, trip, order));
    std::vector<std::string> list;
    for (std::size_t stop = 0; stop < r_.stops(); ++stop) {
      for (std::size_t c = 0; c < width(); ++c) {
        list.push_back(
            fmt::format("max(CASE WHEN place = {} THEN c{} END) AS a{}", place_of(stop), c, stop * width() + c));
      }
    }
    std::string whole;
    for (std::size_t j = 0; j < r_.trip_axes.size(); ++j) {
      const std::string first = fmt::format("max(CASE WHEN place = 1 THEN t{} END)", j);
      list.push_back(fmt::format("{} AS a{}", first, r_.stops() * width() + j));
      whole += fmt::format(" AND {} IS NOT NULL", first);
    }
    std::string enough =
        fmt::format("max(n) {} {}", r_.model == StopModel::od_vias && !r_.spread ? "=" : ">=", r_.stops());
    if (by_count()) {
      list.push_back(fmt::format("LEAST(max(n), {}) AS stops", r_.stops()));
      const std::string listed = fmt::format("max(n) IN ({})", fmt::join(r_.counts, ", "));
      enough = r_.spread ? fmt::format("({} OR {})", listed, enough) : listed;
    }
    step(
        "trips",
        fmt::format("SELECT {0}, trip, {1} FROM ordered GROUP BY {0}, trip HAVING min(good) = 1 AND max(backwards) = 0 "
                    "AND {2}{3}",
                    who(), fmt::join(list, ", "), enough, whole));
  }

  void frames() {
    std::vector<std::string> windows;
    const int last = r_.shape == RowShape::pings ? kMostStayDays - 1 : 0;
    for (std::size_t f = 0; f < r_.frames.size(); ++f) {
      for (int shift = -1; shift <= last; ++shift) {
        windows.push_back(fmt::format("({}, {}, {}, {})", f, shift, r_.frames[f].since + shift * kDay,
                                      r_.frames[f].until + shift * kDay));
      }
    }
    const std::string until = r_.shape == RowShape::pings ? zone_.to_local("until_ms") : "local_ms";
    step("days", fmt::format("SELECT *, {} AS day, {} AS local_until FROM visits WHERE good = 1",
                             sql_day_of("local_ms"), until));
    step(
        "framed",
        fmt::format(
            "SELECT {5}, frame, day + shift AS frame_day, {0}, local_ms, {4}{1}, LEAST(local_until, day * {2} + "
            "until) - "
            "GREATEST(local_ms, day * {2} + since) AS shared FROM days CROSS JOIN (VALUES {3}) AS f(frame, shift, "
            "since, until) "
            "WHERE local_ms < day * {2} + until AND (local_ms >= day * {2} + since OR local_until > day * {2} + since)",
            names('c', width()), has_category() ? ", g" : "", kDay, fmt::join(windows, ", "), place_columns(), who()));
    step("longest",
         fmt::format("SELECT *, row_number() OVER (PARTITION BY {}, frame_day, frame ORDER BY shared DESC, local_ms, "
                     "{}{}) AS place FROM framed",
                     who(), place_columns(), has_category() ? ", g" : ""));
    std::vector<std::string> list;
    for (std::size_t f = 0; f < r_.frames.size(); ++f) {
      for (std::size_t c = 0; c < width(); ++c) {
        list.push_back(fmt::format("max(CASE WHEN frame = {} THEN c{} END) AS a{}", f, c, f * width() + c));
      }
    }
    step("trips",
         fmt::format("SELECT {0}, CAST(frame_day AS STRING) AS trip, {1} FROM longest WHERE place = 1 GROUP BY {0}, "
                     "frame_day HAVING count(*) = {2}",
                     who(), fmt::join(list, ", "), r_.frames.size()));
  }

  void bound() {
    // The bound is over all parts: whoever has k trips of two stops has none of three, and who has k on weekdays none
    // on weekends.
    const std::string axes = (by_count() ? "stops, " : "") + names('a', d());
    const std::string kept = (has_spans() ? "span, " : "") + axes;
    std::string from = "trips";
    if (r_.max_trips_per_user) {
      std::vector<std::string> hashed = {dialect_.literal(r_.bound_key), "person", "trip"};
      if (by_count()) hashed.emplace_back("stops");
      const std::string type = by_day_type() ? fmt::format(", span % {}", r_.day_types.size()) : "";
      if (by_day_type()) hashed.push_back(type.substr(2));
      for (std::size_t a = 0; a < d(); ++a) hashed.push_back(fmt::format("a{}", a));
      step("hashed", fmt::format("SELECT {}, trip, {}, {} AS lot FROM trips", who(), axes, dialect_.lot(hashed)));
      // Behind the lot stands all that was hashed: trips that are still alike are interchangeable.
      step("ranked",
           fmt::format(
               "SELECT {0}, row_number() OVER (PARTITION BY {1} ORDER BY lot, trip NULLS FIRST, {2}{3}) AS place FROM "
               "hashed",
               kept, bounded(), axes, type));
      step("kept", fmt::format("SELECT {} FROM ranked WHERE place <= {}", kept, *r_.max_trips_per_user));
      from = "kept";
    }
    step("cells", fmt::format("SELECT {0}, count(*) AS count FROM {1} GROUP BY {0}", kept, from));
  }

  const TripRequest& r_;
  const std::vector<SourceView>& views_;
  const TimeZone& zone_;
  const SqlDialect& dialect_;
  std::vector<std::vector<std::string>> lists_;  // what the first view selects from every one of views_
  std::vector<std::string> wheres_;              // the condition on rows of every one of views_
  std::vector<std::string> zone_ids_;            // the numbers of points whose zone's id was selected
  TripPlan plan_;
};

}  // namespace

Result<TripPlan> plan_trips(const TripRequest& request, const std::vector<SourceView>& views, const TimeZone& zone,
                            const SqlDialect& dialect) {
  return Planner(request, views, zone, dialect).make();
}

}  // namespace stopover
