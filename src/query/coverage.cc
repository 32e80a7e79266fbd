#include "query/coverage.h"

#include <algorithm>

#include "base/check.h"

namespace stopover {
namespace {

// A cell of which less than this is covered, or not covered, is taken as not covered, or wholly.
constexpr double kSliver = 1e-9;

// Coordinates are never below 0 after clipping but by rounding, which this takes as 0.
std::uint32_t floor_cell(double v) { return v <= 0 ? 0 : static_cast<std::uint32_t>(v); }
std::uint32_t ceil_cell(double v) {
  const std::uint32_t below = floor_cell(v);
  return below < v ? below + 1 : below;
}

struct Extent {
  double x0 = 0, x1 = 0, y0 = 0, y1 = 0;
  bool any = false;
  void add(const PlanePoint& p) {
    if (!any) {
      x0 = x1 = p.x;
      y0 = y1 = p.y;
      any = true;
    }
    x0 = std::min(x0, p.x);
    x1 = std::max(x1, p.x);
    y0 = std::min(y0, p.y);
    y1 = std::max(y1, p.y);
  }
};

// Where a line is kept: at or above `at` (or below, if not `above`) along one coordinate.
struct HalfPlane {
  bool along_x, above;
  double at;
  double value(const PlanePoint& p) const { return along_x ? p.x : p.y; }
  bool keeps(const PlanePoint& p) const { return above ? value(p) >= at : value(p) <= at; }
  PlanePoint cross(const PlanePoint& a, const PlanePoint& b) const {
    // Linear along the edge. The coordinate that is cut is set to the line itself, so that repeated cuts do not drift.
    const double t = (at - value(a)) / (value(b) - value(a));
    return along_x ? PlanePoint{at, a.y + t * (b.y - a.y)} : PlanePoint{a.x + t * (b.x - a.x), at};
  }
};

// One step of Sutherland and Hodgman: the ring's corners on the kept side, and the points where an edge crosses.
Ring cut(const Ring& ring, const HalfPlane& half) {
  Ring kept;
  kept.reserve(ring.size() + 8);
  // Edge by edge, from the corner before. An edge that leaves gives its crossing, one that comes back its crossing and
  // its end.
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const PlanePoint& from = ring[i == 0 ? ring.size() - 1 : i - 1];
    const PlanePoint& to = ring[i];
    const bool was = half.keeps(from), is = half.keeps(to);
    if (was != is) kept.push_back(half.cross(from, to));
    if (is) kept.push_back(to);
  }
  return kept;
}

// Signed areas to the right of edges (towards larger y), kept as differences along y.
// Green's theorem: the area inside a ring is the sum over edges of the signed area between the edge and y = infinity.
// Edges towards larger x count as positive, back as negative; what lies above the ring cancels.
class Canvas {
 public:
  // More columns than cells: the last difference may fall behind the last cell.
  Canvas(Interval x, Interval y) : x_(x), y_(y), stride_(std::size_t{y.width()} + 2), sums_(x.width() * stride_, 0.0) {}

  void draw(const Ring& ring) {
    for (std::size_t i = 0; i < ring.size(); ++i) edge(ring[i == 0 ? ring.size() - 1 : i - 1], ring[i]);
  }

  std::vector<double> weights() const {
    std::vector<double> weights(std::size_t{x_.width()} * y_.width());
    for (std::size_t i = 0; i < x_.width(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < y_.width(); ++j) {
        // Summing the differences along y gives what each cell is covered by. What is left of rounding is taken off by
        // kSliver, so that whole cells have a weight of exactly 1.
        sum += sums_[i * stride_ + j];
        weights[i * y_.width() + j] = sum < kSliver ? 0 : sum > 1 - kSliver ? 1 : sum;
      }
    }
    return weights;
  }

 private:
  void edge(PlanePoint a, PlanePoint b) {
    // An edge along y has no width, and so no area above it.
    if (a.x == b.x) return;
    const double sign = a.x < b.x ? 1 : -1;
    if (sign < 0) std::swap(a, b);
    // Always drawn from smaller to larger x; the sign remembers the direction. So an edge that two rings share gives
    // the same numbers in both, and cancels.
    const double slope = (b.y - a.y) / (b.x - a.x);
    const std::uint32_t first = floor_cell(a.x), last = std::max(ceil_cell(b.x), first + 1);
    for (std::uint32_t i = first; i < last && i < x_.hi; ++i) {
      // The part of the edge in column i.
      const double x0 = std::max<double>(a.x, i), x1 = std::min<double>(b.x, i + 1.0);
      if (x1 <= x0) continue;
      // Ends are taken as they are, not computed: neighbouring edges meet exactly.
      const double y0 = x0 == a.x ? a.y : a.y + slope * (x0 - a.x);
      const double y1 = x1 == b.x ? b.y : a.y + slope * (x1 - a.x);
      column(i, sign * (x1 - x0), y0, y1);
    }
  }

  // An edge within column i, `dx` wide.
  void column(std::uint32_t i, double dx, double y0, double y1) {
    double* sums = sums_.data() + (i - x_.lo) * stride_;
    // Only the area above matters, and it is the same for the edge upside down.
    if (y0 > y1) std::swap(y0, y1);
    y0 = std::clamp<double>(y0, y_.lo, y_.hi);
    y1 = std::clamp<double>(y1, y_.lo, y_.hi);
    const std::uint32_t first = std::min(floor_cell(y0), y_.hi - 1);
    // Within one cell the area above is a trapezoid: width times one minus the mean height.
    if (y1 <= first + 1.0) {
      add(sums, first, dx, (y0 + y1) * 0.5 - first);
      return;
    }
    // Else piece by piece: of a straight edge, every cell has a part of the width in proportion to its part of the
    // height.
    const double per_y = dx / (y1 - y0);
    double at = y0;
    for (std::uint32_t j = first; at < y1 && j < y_.hi; ++j) {
      // From cell to cell: the part's width, and its mean height above the cell's lower edge.
      const double next = std::min<double>(y1, j + 1.0);
      add(sums, j, per_y * (next - at), (at + next) * 0.5 - j);
      at = next;
    }
  }
  void add(double* sums, std::uint32_t j, double dx, double middle) {
    // Cell j loses `middle` of the width, all further cells get it whole: as differences, (1 - middle) and then the
    // rest.
    sums[j - y_.lo] += dx * (1 - middle);
    sums[j - y_.lo + 1] += dx * middle;
  }

  Interval x_, y_;
  std::size_t stride_;
  std::vector<double> sums_;
};

Extent extent_of(std::span<const Ring> rings) {
  Extent extent;
  for (const Ring& ring : rings) {
    for (const PlanePoint& p : ring) extent.add(p);
  }
  return extent;
}

// Whole cells that a span touches.
Interval cells_of(double lo, double hi) { return {floor_cell(lo), std::max(ceil_cell(hi), floor_cell(lo))}; }

}  // namespace

double doubled_area(const Ring& ring) {
  if (ring.empty()) return 0;
  // Relative to the first corner: the shoelace formula with small numbers, so that little is lost where rings are far
  // from 0.
  const PlanePoint o = ring[0];
  double sum = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const PlanePoint& a = ring[i == 0 ? ring.size() - 1 : i - 1];
    const PlanePoint& b = ring[i];
    sum += (a.x - o.x) * (b.y - o.y) - (b.x - o.x) * (a.y - o.y);
  }
  return sum;
}

Ring clipped(const Ring& ring, const PlaneSpan& to) {
  const Extent all = extent_of(std::span(&ring, 1));
  if (!all.any || all.x1 <= to.x.lo || all.x0 >= to.x.hi || all.y1 <= to.y.lo || all.y0 >= to.y.hi) return {};
  // At most four cuts, and only those that the ring needs.
  Ring kept = ring;
  if (all.x0 < to.x.lo) kept = cut(kept, {true, true, to.x.lo});
  if (all.x1 > to.x.hi) kept = cut(kept, {true, false, to.x.hi});
  if (all.y0 < to.y.lo) kept = cut(kept, {false, true, to.y.lo});
  if (all.y1 > to.y.hi) kept = cut(kept, {false, false, to.y.hi});
  return kept;
}

std::uint64_t Coverage::cells_of(std::span<const Ring> rings, const PlaneSpan& within) {
  const Extent e = extent_of(rings);
  if (!e.any) return 0;
  const double x0 = std::max(e.x0, within.x.lo), x1 = std::min(e.x1, within.x.hi);
  const double y0 = std::max(e.y0, within.y.lo), y1 = std::min(e.y1, within.y.hi);
  if (x0 >= x1 || y0 >= y1) return 0;
  return std::uint64_t{stopover::cells_of(x0, x1).width()} * stopover::cells_of(y0, y1).width();
}

Coverage Coverage::of_rings(std::span<const Ring> rings, const PlaneSpan& within) {
  std::vector<Ring> parts;
  for (const Ring& ring : rings) {
    Ring part = clipped(ring, within);
    if (part.size() >= 3) parts.push_back(std::move(part));
  }
  const Extent e = extent_of(parts);
  Coverage coverage;
  // A ring without area covers nothing.
  if (!e.any || e.x0 >= e.x1 || e.y0 >= e.y1) return coverage;
  coverage.x = stopover::cells_of(e.x0, e.x1);
  coverage.y = stopover::cells_of(e.y0, e.y1);
  STOPOVER_CHECK(std::uint64_t{coverage.x.width()} * coverage.y.width() <= kMaxCells,
                 "a region has at most 2^26 cells");
  Canvas canvas(coverage.x, coverage.y);
  for (const Ring& part : parts) canvas.draw(part);
  coverage.weights = canvas.weights();
  return coverage;
}

Coverage Coverage::of_span(const PlaneSpan& span) {
  Coverage coverage;
  if (!(span.x.lo < span.x.hi) || !(span.y.lo < span.y.hi)) return coverage;
  coverage.x = stopover::cells_of(span.x.lo, span.x.hi);
  coverage.y = stopover::cells_of(span.y.lo, span.y.hi);
  coverage.weights.reserve(std::size_t{coverage.x.width()} * coverage.y.width());
  // Of a cell: the length of the overlap. A rectangle's weight is the product of both.
  const auto part = [](const Span& s, std::uint32_t i) {
    return std::min<double>(s.hi, i + 1.0) - std::max<double>(s.lo, i);
  };
  for (std::uint32_t i = coverage.x.lo; i < coverage.x.hi; ++i) {
    for (std::uint32_t j = coverage.y.lo; j < coverage.y.hi; ++j) {
      coverage.weights.push_back(part(span.x, i) * part(span.y, j));
    }
  }
  return coverage;
}

Coverage Coverage::of_cells(std::span<const std::pair<std::uint32_t, std::uint32_t>> cells) {
  Coverage coverage;
  if (cells.empty()) return coverage;
  // The rectangle around all cells.
  coverage.x = {cells[0].first, cells[0].first + 1};
  coverage.y = {cells[0].second, cells[0].second + 1};
  for (const auto& [i, j] : cells) {
    coverage.x = {std::min(coverage.x.lo, i), std::max(coverage.x.hi, i + 1)};
    coverage.y = {std::min(coverage.y.lo, j), std::max(coverage.y.hi, j + 1)};
  }
  STOPOVER_CHECK(std::uint64_t{coverage.x.width()} * coverage.y.width() <= kMaxCells,
                 "a region has at most 2^26 cells");
  // Set, not added: a cell that is listed twice counts once.
  coverage.weights.assign(std::size_t{coverage.x.width()} * coverage.y.width(), 0.0);
  for (const auto& [i, j] : cells) {
    coverage.weights[std::size_t{i - coverage.x.lo} * coverage.y.width() + (j - coverage.y.lo)] = 1;
  }
  return coverage;
}

double Coverage::area() const {
  double sum = 0;
  for (const double w : weights) sum += w;
  return sum;
}

Coverage product(const Coverage& a, const Coverage& b) {
  Coverage both;
  // Outside of either the product is 0.
  both.x = intersect(a.x, b.x);
  both.y = intersect(a.y, b.y);
  if (a.empty() || b.empty() || both.x.width() == 0 || both.y.width() == 0) return {};
  for (std::uint32_t i = both.x.lo; i < both.x.hi; ++i) {
    for (std::uint32_t j = both.y.lo; j < both.y.hi; ++j) both.weights.push_back(a.weight(i, j) * b.weight(i, j));
  }
  return both;
}

Coverage sum(const Coverage& a, const Coverage& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  Coverage either;
  // The rectangle around both; weight() is 0 outside its own.
  either.x = {std::min(a.x.lo, b.x.lo), std::max(a.x.hi, b.x.hi)};
  either.y = {std::min(a.y.lo, b.y.lo), std::max(a.y.hi, b.y.hi)};
  for (std::uint32_t i = either.x.lo; i < either.x.hi; ++i) {
    for (std::uint32_t j = either.y.lo; j < either.y.hi; ++j) {
      const double both = a.weight(i, j) + b.weight(i, j);
      // Sums that reach 1 but for rounding are whole cells.
      either.weights.push_back(both > 1 - kSliver ? 1 : both);
    }
  }
  return either;
}

PlaneSums::PlaneSums(Coverage coverage, const StopMap* map) : x_(coverage.x), y_(coverage.y) {
  // Summed-area tables: entry (i, j) is the sum over all cells before i and j, and a rectangle's sum is four of them.
  // Running sums along y, added to the row above.
  const std::size_t width = x_.width(), height = y_.width(), stride = height + 1;
  std::vector<double>& sums = map == nullptr ? weights_ : mass_;
  counts_.resize((width + 1) * stride);
  sums.resize((width + 1) * stride);
  for (std::size_t i = 0; i < width; ++i) {
    // Of this column so far; the column before holds all that lies before it.
    std::uint64_t count = 0;
    double sum = 0;
    const std::uint64_t* counts_above = counts_.data() + i * stride;
    const double* sums_above = sums.data() + i * stride;
    std::uint64_t* counts = counts_.data() + (i + 1) * stride;
    double* to = sums.data() + (i + 1) * stride;
    const double* weights = coverage.weights.data() + i * height;
    const auto x = static_cast<std::uint32_t>(x_.lo + i);
    for (std::size_t j = 0; j < height; ++j) {
      const double w = weights[j];
      if (w > 0) {
        // Two counts in one word: cells touched in the upper half, whole ones in the lower. At most 2^26 cells, so
        // neither overflows, and differences are right in both.
        count += (std::uint64_t{1} << 32) + (w >= 1 ? 1 : 0);
        if (map == nullptr) {
          sum += w;
        } else {
          const auto y = static_cast<std::uint32_t>(y_.lo + j);
          const double cell = map->mass(Interval{x, x + 1}, Interval{y, y + 1});
          // Rounding of the map's own sums may give a little below 0.
          sum += w * (cell > 0 ? cell : 0);
        }
      }
      counts[j + 1] = counts_above[j + 1] + count;
      to[j + 1] = sums_above[j + 1] + sum;
    }
  }
  // With a map the plain area is seldom asked: it is added up from the cells.
  if (map != nullptr) cells_ = std::move(coverage.weights);
}

double PlaneSums::area(Interval x, Interval y) const {
  if (!has_map()) return clipped_over(weights_, x, y);
  const Interval i = intersect(x, x_), j = intersect(y, y_);
  double sum = 0;
  for (std::uint32_t a = i.lo; a < i.hi; ++a) {
    for (std::uint32_t b = j.lo; b < j.hi; ++b) sum += cells_[std::size_t{a - x_.lo} * y_.width() + (b - y_.lo)];
  }
  return sum;
}

}  // namespace stopover
