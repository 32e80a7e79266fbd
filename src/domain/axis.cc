#include "domain/axis.h"

#include <set>

#include "base/usage_error.h"

namespace stopover {
namespace {

constexpr std::uint64_t kMostCells = std::uint64_t{1} << 31;

struct KindRow {
  std::string_view name;
  bool labelled;
  bool ranges;  // a range of coordinates makes sense on the axis alone
};

constexpr std::array<KindRow, kAxisKinds> kKinds = {{
    {"longitude", false, false},
    {"latitude", false, false},
    {"time", false, true},
    {"category", true, false},
    {"number", false, true},
    {"zone", true, false},
}};

const KindRow& row_of(AxisKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

bool is_finite(double x) { return x - x == 0; }

double unsettled(const Axis& axis, double coordinate) {
  return (coordinate - axis.lower) / (axis.upper - axis.lower) * axis.cells;
}

double settled(double cell) {
  const double near = static_cast<double>(static_cast<std::int64_t>(cell < 0 ? cell - 0.5 : cell + 0.5));
  const double gap = cell - near;
  return gap < 1e-9 && gap > -1e-9 ? near : cell;
}

}  // namespace

std::string_view to_string(AxisKind kind) { return row_of(kind).name; }

Result<AxisKind> parse_axis_kind(std::string_view text) {
  std::string known;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i].name == text) return static_cast<AxisKind>(i);
    known.append(i == 0 ? "" : i + 1 == kKinds.size() ? " or " : ", ").append(kKinds[i].name);
  }
  return usage_error("an axis is of kind " + known + ", not \"" + std::string(text) + "\"");
}

Axis Axis::of_labels(std::string name, AxisKind kind, std::vector<std::string> labels) {
  const auto cells = static_cast<std::uint32_t>(labels.size());
  return {std::move(name), cells, kind, 0, static_cast<double>(cells), std::move(labels)};
}

bool Axis::labelled() const { return row_of(kind).labelled; }

bool Axis::has_ranges() const { return row_of(kind).ranges; }

Status Axis::check() const {
  if (name.empty()) return usage_error("an axis must have a name");
  if (cells == 0) return usage_error("axis " + name + " must have at least 1 cell, not 0");
  if (cells > kMostCells) {
    return usage_error("axis " + name + " may have at most 2147483648 cells, not " + std::to_string(cells));
  }
  if (!is_finite(lower) || !is_finite(upper) || lower >= upper) {
    return usage_error("the bounds of axis " + name + " must be finite and increasing");
  }
  if (labelled() ? labels.size() != cells : !labels.empty()) {
    return usage_error("axis " + name + " of kind " + std::string(to_string(kind)) + " has " +
                       std::to_string(labels.size()) + " labels for " + std::to_string(cells) + " cells");
  }
  if (std::set<std::string>(labels.begin(), labels.end()).size() != labels.size()) {
    return usage_error("the labels of axis " + name + " must differ from each other");
  }
  return {};
}

std::string Axis::label(Interval side) const {
  std::string text;
  for (std::uint32_t cell = side.lo; cell < side.hi; ++cell) text += (text.empty() ? "" : " | ") + labels[cell];
  return text;
}

double Axis::locate(double coordinate) const { return settled(unsettled(*this, coordinate)); }

double Axis::locate_within(double coordinate) const {
  const double cell = unsettled(*this, coordinate);
  if (cell <= 0) return 0;
  if (cell >= cells) return cells;
  return settled(cell);
}

}  // namespace stopover
