#include "ingest/extra_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/split.h"
#include "base/usage_error.h"

namespace stopover {
namespace {

constexpr std::int64_t kWholeDay = 86'400'000;

// ---- time-of-day: equal parts of the local day ----

bool parse_time_of_day(std::string_view rest, bool given, ExtraAxis& axis) {
  axis.cells = 24;
  if (!given) return true;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), axis.cells);
  return error == std::errc() && end == rest.data() + rest.size() && axis.cells >= 1 && axis.cells <= 1440;
}

Axis time_of_day_axis(const ExtraAxis& axis) { return {"", axis.cells, AxisKind::time, 0, 24, {}}; }

std::string time_of_day_cell(const ExtraAxis& axis, const std::string& local_ms, const std::string&) {
  return fmt::format("CAST(floor(({} - {} * {}) * {} / {}) AS INTEGER)", local_ms, sql_day_of(local_ms), kWholeDay,
                     axis.cells, kWholeDay);
}

// ---- hour: declared parts of the local day ----

// "6-9" or "6.5-9"; both from 0 to 24.
bool parse_hours(std::string_view text, std::pair<double, double>& hours) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return false;
  const auto read = [](std::string_view part, double& value) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && end == part.data() + part.size() && value >= 0 && value <= 24;
  };
  return read(text.substr(0, dash), hours.first) && read(text.substr(dash + 1), hours.second) &&
         hours.first < hours.second;
}

bool parse_hour(std::string_view rest, bool, ExtraAxis& axis) {
  const std::size_t equals = rest.find('=');
  if (equals == std::string_view::npos) return false;
  axis.column = std::string(rest.substr(0, equals));
  for (const std::string_view part : split(rest.substr(equals + 1), ',')) {
    std::pair<double, double> hours;
    if (!parse_hours(part, hours) || (!axis.hours.empty() && hours.first < axis.hours.back().second)) return false;
    axis.hours.push_back(hours);
    axis.labels.emplace_back(part);
  }
  axis.cells = static_cast<std::uint32_t>(axis.labels.size());
  return true;
}

Axis labels_axis(const ExtraAxis& axis) { return Axis::of_labels("", AxisKind::category, axis.labels); }

// Missing in a gap between the parts.
std::string hour_cell(const ExtraAxis& axis, const std::string& local_ms, const std::string&) {
  std::string sql = "CASE";
  for (std::size_t i = 0; i < axis.hours.size(); ++i) {
    const auto ms = [](double hours) { return static_cast<std::int64_t>(hours * 3'600'000 + 0.5); };
    sql += fmt::format(" WHEN {0} - {1} * {2} >= {3} AND {0} - {1} * {2} < {4} THEN {5}", local_ms,
                       sql_day_of(local_ms), kWholeDay, ms(axis.hours[i].first), ms(axis.hours[i].second), i);
  }
  return sql + " END";
}

// ---- weekday, daytype ----

bool parse_weekday(std::string_view rest, bool given, ExtraAxis& axis) {
  axis.column = std::string(rest);
  axis.cells = 7;
  return given != rest.empty() && rest.find('=') == std::string_view::npos;
}

bool parse_daytype(std::string_view rest, bool given, ExtraAxis& axis) {
  axis.column = std::string(rest);
  axis.labels = {"weekday", "weekend"};
  axis.cells = 2;
  return given != rest.empty() && rest.find('=') == std::string_view::npos;
}

Axis weekday_axis(const ExtraAxis&) {
  return Axis::of_labels("", AxisKind::category, {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"});
}

// 1970 began on a Thursday.
std::string weekday_cell(const ExtraAxis&, const std::string& local_ms, const std::string&) {
  return fmt::format("CAST({0} + 3 - 7 * CAST(floor(({0} + 3) / 7) AS BIGINT) AS INTEGER)", sql_day_of(local_ms));
}

std::string daytype_cell(const ExtraAxis& axis, const std::string& local_ms, const std::string& label) {
  return fmt::format("CASE WHEN {} >= 5 THEN 1 ELSE 0 END", weekday_cell(axis, local_ms, label));
}

// ---- category: declared values of a column ----

bool parse_category(std::string_view rest, bool, ExtraAxis& axis) {
  const std::size_t equals = rest.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  axis.column = std::string(rest.substr(0, equals));
  for (const std::string_view label : split(rest.substr(equals + 1), ',')) axis.labels.emplace_back(label);
  axis.cells = static_cast<std::uint32_t>(axis.labels.size());
  for (std::size_t i = 0; i < axis.labels.size(); ++i) {
    if (axis.labels[i].empty() || (axis.labels[i] == "*" && i + 1 < axis.labels.size())) return false;
  }
  return true;
}

Axis category_axis(const ExtraAxis& axis) {
  std::vector<std::string> labels = axis.labels;
  if (labels.back() == "*") labels.back() = "other";
  return Axis::of_labels("", AxisKind::category, std::move(labels));
}

std::string category_cell(const ExtraAxis&, const std::string&, const std::string& label) { return label; }

constexpr std::array kKinds = {
    ExtraAxisKind{.name = "time-of-day",
                  .typed = "time-of-day[:CELLS]",
                  .needs_time = true,
                  .needs_column = false,
                  .of_trips_too = false,
                  .parse = parse_time_of_day,
                  .axis = time_of_day_axis,
                  .cell = time_of_day_cell},
    ExtraAxisKind{.name = "hour",
                  .typed = "hour[:COLUMN]=0-6,6-9,...",
                  .needs_time = true,
                  .needs_column = false,
                  .of_trips_too = true,
                  .parse = parse_hour,
                  .axis = labels_axis,
                  .cell = hour_cell},
    ExtraAxisKind{.name = "weekday",
                  .typed = "weekday[:COLUMN]",
                  .needs_time = true,
                  .needs_column = false,
                  .of_trips_too = true,
                  .parse = parse_weekday,
                  .axis = weekday_axis,
                  .cell = weekday_cell},
    ExtraAxisKind{.name = "daytype",
                  .typed = "daytype[:COLUMN]",
                  .needs_time = true,
                  .needs_column = false,
                  .of_trips_too = true,
                  .parse = parse_daytype,
                  .axis = labels_axis,
                  .cell = daytype_cell},
    ExtraAxisKind{.name = "category",
                  .typed = "category:COLUMN=A,B,...",
                  .needs_time = false,
                  .needs_column = true,
                  .of_trips_too = true,
                  .parse = parse_category,
                  .axis = category_axis,
                  .cell = category_cell},
};

}  // namespace

std::string sql_day_of(const std::string& local_ms) {
  return fmt::format("CAST(floor({} / {}) AS BIGINT)", local_ms, kWholeDay);
}

namespace {

Result<ExtraAxis> parse_axis(std::string_view text, std::string_view field, bool of_trip) {
  const std::size_t end = std::min(text.find_first_of(":="), text.size());
  const bool given = end < text.size();
  const std::string_view rest = text.substr(given && text[end] == ':' ? end + 1 : end);
  std::string known;
  for (const ExtraAxisKind& kind : kKinds) {
    if (of_trip && !kind.of_trips_too) continue;
    known.append(known.empty() ? "" : &kind == &kKinds.back() ? " or " : ", ").append(kind.typed);
    if (kind.name != text.substr(0, end)) continue;
    ExtraAxis axis{&kind, 0, {}, {}, {}};
    if (!kind.parse(rest, given, axis)) continue;
    if (!of_trip && kind.needs_time && !axis.column.empty()) {
      return usage_error(fmt::format(
          "`{} {}` names a column\n  A stop's time is the column of `time` (or of its point).", field, text));
    }
    for (const std::string& label : axis.labels) {
      if (std::count(axis.labels.begin(), axis.labels.end(), label) > 1) {
        return usage_error(fmt::format("`{} {}` names {} twice", field, text, label));
      }
    }
    return axis;
  }
  return usage_error(fmt::format("`{}` must be {}, not \"{}\"", field, known, text));
}

}  // namespace

Result<ExtraAxis> parse_extra_axis(std::string_view text) { return parse_axis(text, "axes", false); }

Result<ExtraAxis> parse_trip_axis(std::string_view text) { return parse_axis(text, "trip_axes", true); }

}  // namespace stopover
