#include "ingest/row_views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "ingest/plan_part.h"

namespace stopover {
namespace {

constexpr const char* kNullText = "CAST(NULL AS STRING)";

class RowViews : PlanPart {
 public:
  RowViews(const TripRequest& request, const std::vector<SourceView>& views, const TimeZone& zone,
           const SqlDialect& dialect, TripPlan& plan)
      : PlanPart(request, zone, dialect, plan), views_(views), lists_(views.size()) {}

  Status make() {
    conditions();
    if (Status s = r_.shape == RowShape::trips ? wide_rows() : long_rows(); !s) return s.error();
    row_facts();
    return {};
  }

 private:
  std::string category_of(const ExtraAxis& axis, const std::string& text) const {
    std::string sql = fmt::format("CASE {}", text);
    for (std::size_t i = 0; i < axis.labels.size(); ++i) {
      sql += axis.labels[i] == "*" ? fmt::format(" ELSE {}", i)
                                   : fmt::format(" WHEN {} THEN {}", dialect_.literal(axis.labels[i]), i);
    }
    return sql + " END";
  }
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
    if (r_.shape != RowShape::trips || !std::all_of(views_.begin(), views_.end(), whole)) {
      return in_every_view<std::string>(
          column, [&](const std::string& type) { return dialect_.id(column, type); }, kNullText);
    }
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

  const std::vector<SourceView>& views_;
  std::vector<std::vector<std::string>> lists_;  // what the first view selects from every one of views_
  std::vector<std::string> wheres_;              // the condition on rows of every one of views_
  std::vector<std::string> zone_ids_;            // the numbers of points whose zone's id was selected
};

}  // namespace

Status plan_rows(const TripRequest& request, const std::vector<SourceView>& views, const TimeZone& zone,
                 const SqlDialect& dialect, TripPlan& plan) {
  return RowViews(request, views, zone, dialect, plan).make();
}

}  // namespace stopover
