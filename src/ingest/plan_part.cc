#include "ingest/plan_part.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stopover {
namespace {

// Of a value that is inside.
std::string cell(const std::string& value, double lower, double upper, std::uint32_t cells) {
  return fmt::format("LEAST(TRY_CAST(floor(({} - {}) * {} / {}) AS INTEGER), {})", value, sql_double(lower),
                     sql_double(cells), sql_double(upper - lower), cells - 1);
}

}  // namespace

std::string PlanPart::bounded() const {
  return by_day_type() ? fmt::format("person, span - span % {}", r_.day_types.size()) : who();
}

std::string PlanPart::trip_labels() const {
  std::string list;
  for (std::size_t j = 0; j < r_.trip_axes.size(); ++j) {
    if (!r_.trip_axes[j].kind->needs_time) list += fmt::format(", trip_label{}", j);
  }
  return list;
}

std::string PlanPart::names(char letter, std::size_t n) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < n; ++i) list.push_back(fmt::format("{}{}", letter, i));
  return fmt::format("{}", fmt::join(list, ", "));
}

std::string PlanPart::all_there(char letter, std::size_t n) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < n; ++i) list.push_back(fmt::format("{}{} IS NOT NULL", letter, i));
  return fmt::format("{}", fmt::join(list, " AND "));
}

std::string PlanPart::inside(const std::string& x, const std::string& y) const {
  return fmt::format("{0} >= {1} AND {0} < {2} AND {3} >= {4} AND {3} < {5}", x, sql_double(r_.box.west),
                     sql_double(r_.box.east), y, sql_double(r_.box.south), sql_double(r_.box.north));
}

std::string PlanPart::usable_place(const std::string& n) const {
  return r_.by_zone_id() ? fmt::format("z{} IS NOT NULL", n) : inside("x" + n, "y" + n);
}

std::vector<std::string> PlanPart::place_cells(const std::string& n) const {
  if (r_.by_zone_id()) return {"z" + n};
  if (r_.zones) return {fmt::format("zone_at(x{0}, y{0})", n)};
  return {cell("x" + n, r_.box.west, r_.box.east, r_.columns), cell("y" + n, r_.box.south, r_.box.north, r_.rows)};
}

std::vector<std::string> PlanPart::stop_cells(const std::string& n, const std::string& local_ms,
                                    const std::string& category) const {
  std::vector<std::string> cells = place_cells(n);
  for (const ExtraAxis& axis : r_.axes) cells.push_back(axis.kind->cell(axis, local_ms, category));
  return cells;
}

std::string PlanPart::trip_cell(std::size_t j, const std::string& local_ms) const {
  const ExtraAxis& axis = r_.trip_axes[j];
  return axis.kind->cell(axis, local_ms, fmt::format("trip_label{}", j));
}

std::string PlanPart::in_time() { return fmt::format("span < {}", kLateSpan); }

}  // namespace stopover
