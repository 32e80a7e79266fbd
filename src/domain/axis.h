// Axis: a line of cells with a meaning. What a kind of axis is stands in one table (axis.cc): its name, whether its
// cells have labels or coordinates, and what it measures; everything else asks the axis.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/box.h"

namespace stopover {

// In the order of the table.
enum class AxisKind { longitude, latitude, time, category, number, zone };
inline constexpr std::size_t kAxisKinds = 6;

std::string_view to_string(AxisKind kind);
Result<AxisKind> parse_axis_kind(std::string_view text);

struct Axis {
  std::string name;         // unique in the domain; a0, a1, ... for a bare matrix
  std::uint32_t cells = 1;  // 1 .. 2^31
  AxisKind kind = AxisKind::number;
  double lower = 0;                 // coordinate of the lower edge of cell 0; 0 where cells have labels
  double upper = 1;                 // coordinate of the upper edge of the last cell; = cells where they have labels
  std::vector<std::string> labels;  // one per cell where the kind has labels; else empty

  // An axis of labels.
  static Axis of_labels(std::string name, AxisKind kind, std::vector<std::string> labels);

  // Whether cells have labels (categories, zones) instead of coordinates.
  bool labelled() const;
  // Whether it is one of the two sides of a map in degrees.
  bool on_map() const { return kind == AxisKind::longitude || kind == AxisKind::latitude; }
  // Whether a range of coordinates can be asked of it by itself (numbers, hours).
  bool has_ranges() const;
  // Fails (usage) on no name, no cells or too many, bounds that are not finite and increasing, labels that do not fit
  // the kind, are not one per cell, or repeat.
  Status check() const;

  // The coordinate of a cell's lower edge.
  double edge(std::uint32_t cell) const { return lower + (upper - lower) * cell / cells; }
  // The labels of an interval of cells, joined by " | ". REQUIRES: labelled().
  std::string label(Interval side) const;
  // Where a coordinate lies, in cells from the lower edge: 2.5 is the middle of the third cell. Within 1e-9 of a cell's
  // edge it is that edge, so coordinates of the lattice give whole numbers. May lie outside the axis.
  // REQUIRES: at most 2^62 cells away.
  double locate(double coordinate) const;
  // The same from 0 to `cells`: what lies outside is at the nearer end.
  double locate_within(double coordinate) const;
  bool operator==(const Axis&) const = default;
};

}  // namespace stopover
