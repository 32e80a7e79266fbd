#include "mechanism/past_release.h"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "mechanism/families.h"

namespace stopover {
namespace {

constexpr double kRaked = 0.5;  // of what is known of places, the part of the leaves

// Whole squares of step x step cells.
Interval squares(Interval cells, std::uint32_t step) { return {cells.lo / step, (cells.hi + step - 1) / step}; }

}  // namespace

PastRelease::PastRelease(const Release& release) : domain_(release.domain), factors_(factors_of(release.domain)) {
  const Table& joint = release.tables[0];
  for (std::size_t f = 0; f < factors_.size(); ++f) {
    maps_.emplace_back(release.tables[f + 1], domain_);
    map_totals_.push_back(maps_[f].mass(Interval{0, maps_[f].width()}, Interval{0, maps_[f].height()}));
  }
  for (std::size_t row = 0; row < joint.rows(); ++row) boxes_.push_back(joint.box(row));
  estimates_ = joint.estimate;
  children_ = families_of(joint).children;
  total_ = std::max(1.0, estimates_[0]);
}

PastRelease PastRelease::of_table(const Release& table) {
  PastRelease past(table);
  past.tells_places_ = false;
  return past;
}

std::pair<Interval, Interval> PastRelease::sides(std::size_t factor, const Box& box) const {
  const Factor& axes = factors_[factor];
  return {box[axes[0]], axes.size() > 1 ? box[axes[1]] : Interval{0, 1}};
}

double PastRelease::share(const Box& box) const { return within(0, box) / total_; }

double PastRelease::within(std::size_t row, const Box& box) const {
  if (estimates_[row] <= 0) return 0;
  const Box& own = boxes_[row];
  bool inside = true;
  for (std::size_t axis = 0; axis < own.axes(); ++axis) {
    if (box[axis].hi <= own[axis].lo || box[axis].lo >= own[axis].hi) return 0;
    inside = inside && box[axis].lo <= own[axis].lo && box[axis].hi >= own[axis].hi;
  }
  if (inside) return estimates_[row];
  const auto [first, last] = children_[row];
  if (first == last) {
    const Box both = intersect(own, box);
    double part = estimates_[row];
    for (std::size_t f = 0; f < maps_.size(); ++f) {
      const auto [x, y] = sides(f, own);
      const auto [in_x, in_y] = sides(f, both);
      if (x == in_x && y == in_y) continue;
      const double whole = maps_[f].mass(x, y);
      part *= whole > 0 ? std::clamp(maps_[f].mass(in_x, in_y) / whole, 0.0, 1.0) : 0;
    }
    return part;
  }
  double sum = 0;
  for (std::size_t child = first; child < last; ++child) sum += within(child, box);
  return sum;
}

void PastRelease::add_places(std::size_t factor, double weight, StopMap::Density& density) const {
  const StopMap& map = maps_[factor];
  const std::uint32_t step = map.step(), width = map.width(), height = map.height();
  const std::size_t columns = squares({0, width}, step).hi, rows = squares({0, height}, step).hi;
  const std::size_t stride = rows + 1;
  const auto mass = [&](Interval x, Interval y) {
    const Interval in_x{x.lo * step, std::min(x.hi * step, width)}, in_y{y.lo * step, std::min(y.hi * step, height)};
    return std::max(0.0, map.mass(in_x, in_y));
  };
  // How many trips a square has for one of the map: what every leaf adds to the squares it lies in, as differences,
  // then summed up along both axes.
  std::vector<double> trips((columns + 1) * stride, 0.0);
  for (std::size_t row = 0; row < boxes_.size(); ++row) {
    if (children_[row].first != children_[row].second || estimates_[row] <= 0) continue;
    auto [x, y] = sides(factor, boxes_[row]);
    x = squares(x, step);
    y = squares(y, step);
    const double whole = mass(x, y);
    if (whole <= 0) continue;
    const double each = estimates_[row] / whole;
    trips[x.lo * stride + y.lo] += each;
    trips[x.hi * stride + y.lo] -= each;
    trips[x.lo * stride + y.hi] -= each;
    trips[x.hi * stride + y.hi] += each;
  }
  for (std::size_t x = 1; x < columns; ++x) {
    for (std::size_t y = 0; y < rows; ++y) trips[x * stride + y] += trips[(x - 1) * stride + y];
  }
  tbb::parallel_for(std::size_t{0}, columns, [&](std::size_t i) {
    const auto x = static_cast<std::uint32_t>(i);
    double sum = 0;
    for (std::uint32_t y = 0; y < rows; ++y) {
      sum += trips[x * stride + y];
      const double raked = kRaked * std::max(0.0, sum) / total_ + (1 - kRaked) / map_totals_[factor];
      density.row(x)[y] += weight * raked * mass({x, x + 1}, {y, y + 1});
    }
  });
}

double PastRelease::product(const Box& box) const {
  double product = 1;
  for (std::size_t f = 0; f < maps_.size(); ++f) {
    const auto [x, y] = sides(f, box);
    product *= map_share(f, x, y);
  }
  return product;
}

}  // namespace stopover
