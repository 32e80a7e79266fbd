// Coverage: which share of each cell of a plane (or of one axis) lies in a region. Of area: how often intervals hold
// the truth is coverage_claim.h's.
//
// A region of a stop is drawn once onto the stop's cells, exactly: a polygon covers of every cell the share that its
// area says, to about 1e-12. What happens afterwards (partitions, maps, noise) sees cells and their weights only, so
// circles, polygons and lists of cells are one thing.
//
//   Coverage c = Coverage::of_rings(rings, {{0, 1000}, {0, 1000}});      // rings in cell units
//
// Coordinates are cell units along the two axes: cell (i, j) is [i, i+1) x [j, j+1). A line has j = 0 only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "domain/box.h"
#include "domain/plane_point.h"
#include "release/stop_map.h"

namespace stopover {

// Real edges in cell units.
struct PlaneSpan {
  Span x, y;
};

// Twice the area, positive when counterclockwise.
double doubled_area(const Ring& ring);

// The part of the ring inside the rectangle (Sutherland and Hodgman 1974). A ring that leaves and comes back several
// times stays one ring, joined along the rectangle's edges, where the joints have no area.
Ring clipped(const Ring& ring, const PlaneSpan& to);

// The rectangle of cells that a region touches, and a weight from 0 to 1 for each of them.
struct Coverage {
  Interval x, y;                // empty: the region touches no cell
  std::vector<double> weights;  // [x - x.lo][y - y.lo], y fastest

  // The most cells that a region's rectangle may have.
  static constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 26;
  // How many cells of.. the rectangle around all rings within `within`.
  static std::uint64_t cells_of(std::span<const Ring> rings, const PlaneSpan& within);

  // The area inside the rings and within the span. Rings are drawn with the sign of their direction: outer ones
  // counterclockwise, holes clockwise; they do not cross.
  // REQUIRES: 0 <= within.lo <= within.hi on both axes; cells_of is at most kMaxCells.
  static Coverage of_rings(std::span<const Ring> rings, const PlaneSpan& within);
  static Coverage of_span(const PlaneSpan& span);
  // Whole cells, each counted once.
  static Coverage of_cells(std::span<const std::pair<std::uint32_t, std::uint32_t>> cells);

  bool empty() const { return weights.empty(); }
  double weight(std::uint32_t i, std::uint32_t j) const {
    if (i < x.lo || i >= x.hi || j < y.lo || j >= y.hi) return 0;
    return weights[std::size_t{i - x.lo} * y.width() + (j - y.lo)];
  }
  // Sum of the weights: the region's size in cells.
  double area() const;
};

// Cell by cell the product of the weights: right wherever one of the two takes a cell wholly or not at all.
Coverage product(const Coverage& a, const Coverage& b);
// Cell by cell the sum, at most 1: right for regions that do not overlap.
Coverage sum(const Coverage& a, const Coverage& b);

// PlaneSums: a coverage as sums over rectangles in constant time, by itself and weighted by a stop's map.
class PlaneSums {
 public:
  // REQUIRES: `map`, where there is one, has the plane's cells.
  PlaneSums(Coverage coverage, const StopMap* map);

  Interval x() const { return x_; }
  Interval y() const { return y_; }
  bool has_map() const { return !mass_.empty(); }

  enum class Side { outside, inside, border };
  // Whether the region covers all, some or nothing of the cells of a rectangle.
  Side side(Interval x, Interval y) const {
    const std::uint32_t x0 = x.lo > x_.lo ? x.lo : x_.lo, x1 = x.hi < x_.hi ? x.hi : x_.hi;
    const std::uint32_t y0 = y.lo > y_.lo ? y.lo : y_.lo, y1 = y.hi < y_.hi ? y.hi : y_.hi;
    if (x0 >= x1 || y0 >= y1) return Side::outside;
    const std::uint64_t found = over(counts_, x0, x1, y0, y1);
    if (found == 0) return Side::outside;
    const std::uint64_t cells = std::uint64_t{x.hi - x.lo} * (y.hi - y.lo);
    return (found & 0xffffffff) == cells ? Side::inside : Side::border;
  }
  // Sum of weights over the rectangle (with a map it is added up cell by cell: seldom asked), and of weights times the
  // map's mass.
  double area(Interval x, Interval y) const;
  double mass(Interval x, Interval y) const { return clipped_over(mass_, x, y); }

 private:
  template <typename T>
  T over(const std::vector<T>& sums, std::uint32_t x0, std::uint32_t x1, std::uint32_t y0, std::uint32_t y1) const {
    const std::size_t stride = std::size_t{y_.width()} + 1;
    const std::size_t a = std::size_t{x0 - x_.lo} * stride, b = std::size_t{x1 - x_.lo} * stride;
    const std::size_t c = y0 - y_.lo, d = y1 - y_.lo;
    return sums[b + d] - sums[a + d] - sums[b + c] + sums[a + c];
  }
  template <typename T>
  T clipped_over(const std::vector<T>& sums, Interval x, Interval y) const {
    const Interval i = intersect(x, x_), j = intersect(y, y_);
    if (i.width() == 0 || j.width() == 0) return 0;
    return over(sums, i.lo, i.hi, j.lo, j.hi);
  }

  Interval x_, y_;
  std::vector<std::uint64_t> counts_;   // cells touched in the upper half, wholly covered ones in the lower
  std::vector<double> weights_, mass_;  // of the two, one
  std::vector<double> cells_;           // the coverage's own weights, where there is a map
};

}  // namespace stopover
