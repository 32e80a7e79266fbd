#include "ingest/extra_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/split.h"
#include "base/usage_error.h"

namespace stopover {
namespace {

constexpr std::int64_t kDay = 86'400'000;

// ---- time-of-day: equal parts of the local day ----

bool parse_time_of_day(std::string_view rest, bool given, ExtraAxis& axis) {
  axis.cells = 24;
  if (!given) return true;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), axis.cells);
  return error == std::errc() && end == rest.data() + rest.size() && axis.cells >= 1 && axis.cells <= 1440;
}

Axis time_of_day_axis(const ExtraAxis& axis) { return {"", axis.cells, AxisKind::time, 0, 24, {}}; }

std::string time_of_day_cell(const ExtraAxis& axis, const std::string& local_ms, const std::string&) {
  return fmt::format("CAST(floor(({} - {} * {}) * {} / {}) AS INTEGER)", local_ms, sql_day_of(local_ms), kDay,
                     axis.cells, kDay);
}

// ---- weekday ----

bool parse_weekday(std::string_view, bool given, ExtraAxis& axis) {
  axis.cells = 7;
  return !given;
}

Axis weekday_axis(const ExtraAxis&) {
  return Axis::of_labels("", AxisKind::category, {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"});
}

// 1970 began on a Thursday.
std::string weekday_cell(const ExtraAxis&, const std::string& local_ms, const std::string&) {
  return fmt::format("CAST({0} + 3 - 7 * CAST(floor(({0} + 3) / 7) AS BIGINT) AS INTEGER)", sql_day_of(local_ms));
}

// ---- category: declared values of a column ----

bool parse_category(std::string_view rest, bool, ExtraAxis& axis) {
  const std::size_t equals = rest.find('=');
  if (equals == std::string_view::npos) return false;
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
                  .parse = parse_time_of_day,
                  .axis = time_of_day_axis,
                  .cell = time_of_day_cell},
    ExtraAxisKind{.name = "weekday",
                  .typed = "weekday",
                  .needs_time = true,
                  .needs_column = false,
                  .parse = parse_weekday,
                  .axis = weekday_axis,
                  .cell = weekday_cell},
    ExtraAxisKind{.name = "category",
                  .typed = "category:COLUMN=A,B,...",
                  .needs_time = false,
                  .needs_column = true,
                  .parse = parse_category,
                  .axis = category_axis,
                  .cell = category_cell},
};

}  // namespace

std::string sql_day_of(const std::string& local_ms) {
  return fmt::format("CAST(floor({} / {}) AS BIGINT)", local_ms, kDay);
}

Result<ExtraAxis> parse_extra_axis(std::string_view text) {
  const std::size_t colon = text.find(':');
  const bool given = colon != std::string_view::npos;
  std::string known;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    const ExtraAxisKind& kind = kKinds[i];
    known.append(i == 0 ? "" : i + 1 == kKinds.size() ? " or " : ", ").append(kind.typed);
    if (kind.name != text.substr(0, colon)) continue;
    ExtraAxis axis{&kind, 0, {}, {}};
    if (!kind.parse(given ? text.substr(colon + 1) : std::string_view(), given, axis)) continue;
    for (const std::string& label : axis.labels) {
      if (std::count(axis.labels.begin(), axis.labels.end(), label) > 1) {
        return usage_error(fmt::format("`axes {}` names {} twice", text, label));
      }
    }
    return axis;
  }
  return usage_error(fmt::format("`axes` must be {}, not \"{}\"", known, text));
}

}  // namespace stopover
