#include "ingest/public_flows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/bad_input.h"
#include "base/grouped.h"
#include "base/usage_error.h"
#include "duck/small_table.h"

namespace stopover {
namespace {

constexpr std::size_t kMostRows = 2'000'000;
constexpr double kMostWeight = 1e15;  // so that sums of all rows are exact enough, and finite

// Where an axis' cell stands in a row: a column of its own, as a coordinate or as the number of a cell.
struct AxisColumn {
  std::size_t column = 0;
  bool coordinate = false;
};

std::optional<std::size_t> find_column(const SmallTable& table, const std::string& name) {
  const auto at = std::find(table.columns.begin(), table.columns.end(), name);
  if (at == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(at - table.columns.begin());
}

Result<SmallTable> read_texts(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none))
    return bad_input(fmt::format("`prior {}`: there is no such file", path));
  Result<DuckSession> duck = DuckSession::open();
  if (!duck) return duck.error();
  Result<SmallTable> table = path.ends_with(".parquet")
                                 ? text_rows(*duck,
                                             "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM read_parquet(" +
                                                 quote_input(path) + ", hive_partitioning = false)",
                                             kMostRows + 1)
                                 : csv_texts(*duck, path, true, kMostRows + 1);
  if (!table) return bad_input(fmt::format("`prior {}` cannot be read as a table: {}", path, table.error().message));
  if (table->rows.size() > kMostRows)
    return bad_input(
        fmt::format("`prior {}` has more than {} rows: add rows of the same places up", path, grouped(kMostRows)));
  return table;
}

// Of every axis: numbers of cells where all axes have columns of their names, else coordinates of stops.
Result<std::vector<AxisColumn>> columns_of(const SmallTable& table, const std::string& path, const Domain& domain) {
  std::vector<AxisColumn> columns;
  for (const Axis& axis : domain.axes()) {
    if (const auto at = find_column(table, axis.name)) columns.push_back({*at, false});
  }
  if (columns.size() == domain.d()) return columns;
  columns.assign(domain.d(), {});
  std::vector<std::string> lacking;
  const std::size_t stops = domain.stops().size();
  for (std::size_t s = 0; s < stops; ++s) {
    const std::string stop = s == 0 ? "o" : s + 1 == stops ? "d" : fmt::format("v{}", s);
    for (const std::size_t a : domain.stops()[s].axes) {
      if (!domain.axis(a).on_map()) {
        return usage_error(
            fmt::format("`prior {}` must have numbers of cells: the axis {} is no side of a map\n  Columns {}, and "
                        "weight.",
                        path, domain.axis(a).name,
                        fmt::join(
                            [&] {
                              std::vector<std::string> names;
                              for (const Axis& axis : domain.axes()) names.push_back(axis.name);
                              return names;
                            }(),
                            ", ")));
      }
      const std::string name = stop + (domain.axis(a).kind == AxisKind::longitude ? "_lng" : "_lat");
      const auto at = find_column(table, name);
      if (!at) lacking.push_back(name);
      columns[a] = {at.value_or(0), true};
    }
  }
  if (lacking.empty()) return columns;
  return bad_input(
      fmt::format("`prior {}` has no column {}\n  It has {}. Columns are o_lat, o_lng, d_lat, d_lng and "
                  "weight (v1_lat, ... of stops in between), or cells by the names of axes.",
                  path, fmt::join(lacking, ", "), fmt::join(table.columns, ", ")));
}

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data(), end, value);
  if (failed != std::errc() || at != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

Result<PublicFlows> read_public_flows(const std::string& path, const Domain& domain) {
  const Result<SmallTable> table = read_texts(path);
  if (!table) return table.error();
  const Result<std::vector<AxisColumn>> columns = columns_of(*table, path, domain);
  if (!columns) return columns.error();
  std::optional<std::size_t> weight = find_column(*table, "weight");
  if (!weight) weight = find_column(*table, "count");
  PublicFlows flows;
  std::vector<std::uint32_t> cell(domain.d());
  for (std::size_t row = 0; row < table->rows.size(); ++row) {
    const std::vector<std::string>& texts = table->rows[row];
    const auto bad = [&](std::size_t column, std::string_view what) {
      return bad_input(fmt::format("`prior {}`, row {}: {} is \"{}\", {}", path, row + 1, table->columns[column],
                                   texts[column], what));
    };
    const std::optional<double> trips = weight ? number_of(texts[*weight]) : 1.0;
    if (!trips || *trips < 0 || *trips > kMostWeight) return bad(*weight, "not a number of trips from 0 to 1e15");
    bool inside = true;
    for (std::size_t a = 0; a < domain.d(); ++a) {
      const AxisColumn& from = (*columns)[a];
      const std::optional<double> value = number_of(texts[from.column]);
      if (!value) return bad(from.column, "not a number");
      const Axis& axis = domain.axis(a);
      if (!from.coordinate && *value != std::floor(*value)) return bad(from.column, "not the number of a cell");
      const double at = from.coordinate && std::abs(*value) <= 360 ? axis.locate(*value)
                        : from.coordinate                          ? -1
                                                                   : *value;
      inside = inside && at >= 0 && at < axis.cells;
      cell[a] = inside ? static_cast<std::uint32_t>(at) : 0;
    }
    flows.outside += inside ? 0 : 1;
    if (!inside || *trips == 0) continue;
    flows.cells.insert(flows.cells.end(), cell.begin(), cell.end());
    flows.weights.push_back(*trips);
  }
  if (!flows.weights.empty()) return flows;
  return bad_input(
      fmt::format("none of the {} rows of `prior {}` has a weight and lies in the bounding box\n  Are "
                  "longitude and latitude swapped, or is it another city?",
                  grouped(table->rows.size()), path));
}

}  // namespace stopover
