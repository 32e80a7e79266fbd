#include "release/stop_map.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace stopover {

namespace {

std::uint32_t steps(std::uint32_t cells, std::uint32_t step) { return cells / step + (cells % step == 0 ? 0 : 1); }

// A place along an axis in steps, the last of which may be shorter.
double in_steps(double at, std::uint32_t cells, std::uint32_t step) {
  const std::uint32_t i = static_cast<std::uint32_t>(at) / step, lo = i * step;
  const std::uint32_t length = cells - lo < step ? cells - lo : step;
  return length == 0 ? i : i + (at - lo) / length;
}

}  // namespace

std::uint32_t StopMap::step_of(std::uint32_t width, std::uint32_t height) {
  std::uint32_t step = 1;
  while (std::uint64_t{steps(width, step)} * steps(height, step) > kMaxCells) step *= 2;
  return step;
}

void StopMap::set_size(std::uint32_t width, std::uint32_t height) {
  width_ = width;
  height_ = height;
  step_ = step_of(width, height);
  columns_ = steps(width, step_);
  rows_ = steps(height, step_);
}

StopMap::Density::Density(std::uint32_t width, std::uint32_t height)
    : width_(width),
      height_(height),
      step_(step_of(width, height)),
      stride_(std::size_t{steps(height, step_)} + 1),
      values_((std::size_t{steps(width, step_)} + 1) * stride_, 0.0) {}

StopMap::StopMap(const Table& table, const Domain& domain) {
  STOPOVER_CHECK(table.axes.size() == 1 || table.axes.size() == 2, "a stop's map has one or two axes");
  const std::uint32_t width = domain.axis(table.axes[0]).cells;
  const std::uint32_t height = table.axes.size() == 2 ? domain.axis(table.axes[1]).cells : 1;
  set_size(width, height);
  const std::vector<bool> is_leaf = table.leaves();
  std::vector<Leaf> leaves;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!is_leaf[row]) continue;
    const Box box = table.box(row);
    leaves.push_back({box[0], box.axes() == 2 ? box[1] : Interval{0, 1}, table.estimate[row]});
  }
  draw(leaves, table.smooth ? 0 : leaves.size());
}

StopMap::StopMap(std::uint32_t width, std::uint32_t height, const std::vector<Leaf>& leaves, bool smooth)
    : StopMap(width, height, leaves, SmoothFrom{smooth ? 0 : leaves.size()}) {}

StopMap::StopMap(std::uint32_t width, std::uint32_t height, const std::vector<Leaf>& leaves, SmoothFrom from) {
  set_size(width, height);
  draw(leaves, from.first);
}

StopMap::StopMap(Density density) : sums_(std::move(density.values_)) {
  set_size(density.width_, density.height_);
  sum_up();
}

void StopMap::draw(const std::vector<Leaf>& leaves_in_cells, std::size_t first_smooth) {
  std::vector<Leaf> leaves = leaves_in_cells;
  if (step_ > 1) {
    for (Leaf& leaf : leaves) {
      leaf.x = {leaf.x.lo / step_, steps(leaf.x.hi, step_)};
      leaf.y = {leaf.y.lo / step_, steps(leaf.y.hi, step_)};
    }
  }
  Density density(width_, height_);
  for (const Leaf& leaf : leaves) {
    // The floor makes every mass positive, so that shares of any box can be had without asking.
    const double each = leaf.mass / (static_cast<double>(leaf.x.width()) * leaf.y.width()) + kFloor;
    for (std::size_t i = leaf.x.lo; i < leaf.x.hi; ++i) std::fill_n(density.row(i) + leaf.y.lo, leaf.y.width(), each);
  }
  // Nothing to smooth: the even map is the map.
  if (first_smooth >= leaves.size()) {
    sums_ = std::move(density.values_);
    sum_up();
    return;
  }
  // Windows are read from the even map, whose sums are kept while `density` is changed. So the result does not depend
  // on the order of leaves.
  sums_ = density.values_;
  sum_up();
  for (std::size_t i = first_smooth; i < leaves.size(); ++i) smooth(leaves[i], density);
  sums_ = std::move(density.values_);
  sum_up();
}

namespace {

// The window of a cell along one axis, clipped to the map.
Span window(std::uint32_t cell, std::uint32_t side, std::uint32_t end) {
  // As wide as the leaf, centred on the cell: a window reaches half a leaf beyond the leaf's edge at most.
  const double middle = cell + 0.5, half = side * 0.5;
  const double lo = middle - half, hi = middle + half;
  return {lo < 0 ? 0 : lo, hi > end ? end : hi};
}

}  // namespace

// Row by row: `strip[k]` is the even map's mass in the row's window left of second-axis cell `first + k`.
void StopMap::smooth(const Leaf& leaf, Density& density) const {
  // An empty leaf stays empty, and a single cell has nothing to divide.
  if (leaf.mass <= 0 || leaf.x.width() * std::uint64_t{leaf.y.width()} < 2) return;
  // From the first cell that any window of the leaf touches to the last.
  const auto first = static_cast<std::uint32_t>(window(leaf.y.lo, leaf.y.width(), rows_).lo);
  const double furthest = window(leaf.y.hi - 1, leaf.y.width(), rows_).hi;
  const std::uint32_t last =
      static_cast<std::uint32_t>(furthest) + (furthest > static_cast<std::uint32_t>(furthest) ? 1 : 0);
  std::vector<double> strip(last - first + 1);
  // Linear between cells: cells are even inside, so this is the exact integral.
  const auto left_of = [&](double y) {
    const auto k = static_cast<std::uint32_t>(y);
    const double part = y - k;
    return part > 0 ? strip[k - first] + part * (strip[k - first + 1] - strip[k - first]) : strip[k - first];
  };
  double sum = 0;
  for (std::uint32_t i = leaf.x.lo; i < leaf.x.hi; ++i) {
    const Span x = window(i, leaf.x.width(), columns_);
    // Mass of the strip x.lo .. x.hi below every k, by subtraction of two lines of sums.
    const Line low = line(x.lo), high = line(x.hi);
    for (std::uint32_t k = first; k <= last; ++k) strip[k - first] = high.at(k) - low.at(k);
    double* const row = density.row(i);
    for (std::uint32_t j = leaf.y.lo; j < leaf.y.hi; ++j) {
      const Span y = window(j, leaf.y.width(), rows_);
      // The mean over what the map has of the window: at the edge of the map it is divided by less.
      const double near = (left_of(y.hi) - left_of(y.lo)) / ((x.hi - x.lo) * (y.hi - y.lo));
      row[j] = near;
      sum += near;
    }
  }
  // The floor of the even map keeps the sum above 0. After scaling the leaf holds its own mass again, and the floor
  // besides, as in the even map.
  const double scale = leaf.mass / sum;
  for (std::uint32_t i = leaf.x.lo; i < leaf.x.hi; ++i) {
    double* const row = density.row(i);
    for (std::uint32_t j = leaf.y.lo; j < leaf.y.hi; ++j) row[j] = row[j] * scale + kFloor;
  }
}

StopMap::Line StopMap::line(double x) const {
  const auto i = static_cast<std::size_t>(x);
  const std::size_t stride = std::size_t{rows_} + 1;
  const double part = x - static_cast<double>(i);
  const double* const row = sums_.data() + i * stride;
  // At the last edge there is no next line, and none is needed.
  return {row, part > 0 ? row + stride : row, part};
}

// In place: entry (i, j) becomes the sum over all cells before i and j. Row 0 and column 0 are zeros. The order of
// summation is fixed, so mechanism and query read the same bits.
void StopMap::sum_up() {
  const std::size_t stride = std::size_t{rows_} + 1;
  for (std::size_t i = 1; i <= columns_; ++i) {
    const double* const before = sums_.data() + (i - 1) * stride;
    double* const row = sums_.data() + i * stride;
    double column = 0;
    for (std::size_t j = 1; j <= rows_; ++j) {
      column += row[j];
      row[j] = before[j] + column;
    }
  }
}

// Bilinear between the four sums around (x, y). With a density that is even in every cell, the integral from 0 is
// exactly that.
double StopMap::at(double x, double y) const {
  if (step_ > 1) {
    x = in_steps(x, width_, step_);
    y = in_steps(y, height_, step_);
  }
  const auto i = static_cast<std::uint32_t>(x);
  const auto j = static_cast<std::uint32_t>(y);
  const double fx = x - i;
  const double fy = y - j;
  const std::uint32_t i1 = fx > 0 ? i + 1 : i;
  const std::uint32_t j1 = fy > 0 ? j + 1 : j;
  const double low = raw(i, j) + fx * (raw(i1, j) - raw(i, j));
  const double high = raw(i, j1) + fx * (raw(i1, j1) - raw(i, j1));
  return low + fy * (high - low);
}

namespace {

// The part of [lo, hi) where what lies before it reaches `share` of all. `before(i)` grows with i.
template <typename Before>
std::uint32_t part_at(Interval all, double share, Before before) {
  // Inversion of the cumulative mass, by halving: sums grow along an axis, so that the place is found in log2(width)
  // steps.
  const double from = before(all.lo), goal = from + share * (before(all.hi) - from);
  while (all.width() > 1) {
    const std::uint32_t middle = all.lo + all.width() / 2;
    (before(middle) <= goal ? all.lo : all.hi) = middle;
  }
  return all.lo;
}

}  // namespace

StopMap::Cell StopMap::cell_at(Interval x, Interval y, double u, double v) const {
  if (step_ > 1) {
    Cell cell;
    cell.x = part_at(x, u, [&](std::uint32_t i) { return at(i, y.hi) - at(i, y.lo); });
    cell.y = part_at(y, v, [&](std::uint32_t j) { return at(cell.x + 1, j) - at(cell.x, j); });
    return cell;
  }
  const std::size_t stride = std::size_t{height_} + 1;
  const double *const below = sums_.data() + y.lo, *const above = sums_.data() + y.hi;
  Cell cell;
  // First the marginal law of x within y, then the law of y in that column: together a cell by its mass.
  cell.x = part_at(x, u, [&](std::uint32_t i) { return above[i * stride] - below[i * stride]; });
  const double *const row = sums_.data() + cell.x * stride, *const next = row + stride;
  cell.y = part_at(y, v, [&](std::uint32_t j) { return next[j] - row[j]; });
  return cell;
}

double StopMap::mass(Span x, Span y) const { return at(x.hi, y.hi) - at(x.lo, y.hi) - at(x.hi, y.lo) + at(x.lo, y.lo); }

}  // namespace stopover
