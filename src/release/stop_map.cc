#include "release/stop_map.h"

#include "base/check.h"

namespace stopover {

StopMap::StopMap(const Table& table, const Domain& domain) {
  STOPOVER_CHECK(table.axes.size() == 1 || table.axes.size() == 2, "a stop's map has one or two axes");
  width_ = domain.axis(table.axes[0]).cells;
  if (table.axes.size() == 2) height_ = domain.axis(table.axes[1]).cells;
  STOPOVER_CHECK(std::uint64_t{width_} * height_ <= kMaxCells, "a stop's map has at most 2^24 cells");
  std::vector<double> density(std::size_t{width_} * height_, 0.0);
  const std::vector<bool> leaf = table.leaves();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!leaf[row]) continue;
    const Box box = table.box(row);
    const Interval y = box.axes() == 2 ? box[1] : Interval{0, 1};
    const double each = table.estimate[row] / (static_cast<double>(box[0].width()) * y.width()) + kFloor;
    for (std::uint32_t i = box[0].lo; i < box[0].hi; ++i) {
      for (std::uint32_t j = y.lo; j < y.hi; ++j) density[std::size_t{i} * height_ + j] = each;
    }
  }
  sum_up(std::move(density));
}

StopMap::StopMap(std::uint32_t width, std::uint32_t height, std::vector<double> density) : width_(width), height_(height) {
  STOPOVER_CHECK(density.size() == std::size_t{width} * height, "a density has one value a cell");
  sum_up(std::move(density));
}

void StopMap::sum_up(std::vector<double> density) {
  const std::size_t stride = std::size_t{height_} + 1;
  sums_.assign((std::size_t{width_} + 1) * stride, 0.0);
  for (std::size_t i = 0; i < width_; ++i) {
    double column = 0;
    for (std::size_t j = 0; j < height_; ++j) {
      column += density[i * height_ + j];
      sums_[(i + 1) * stride + j + 1] = sums_[i * stride + j + 1] + column;
    }
  }
}

double StopMap::at(double x, double y) const {
  const auto i = static_cast<std::uint32_t>(x);
  const auto j = static_cast<std::uint32_t>(y);
  const double fx = x - i;
  const double fy = y - j;
  const std::uint32_t i1 = fx > 0 ? i + 1 : i;
  const std::uint32_t j1 = fy > 0 ? j + 1 : j;
  const double low = at(i, j) + fx * (at(i1, j) - at(i, j));
  const double high = at(i, j1) + fx * (at(i1, j1) - at(i, j1));
  return low + fy * (high - low);
}

double StopMap::mass(Span x, Span y) const {
  return at(x.hi, y.hi) - at(x.lo, y.hi) - at(x.hi, y.lo) + at(x.lo, y.lo);
}

}  // namespace stopover
