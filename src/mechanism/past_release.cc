#include "mechanism/past_release.h"

#include <algorithm>

#include "mechanism/families.h"

namespace stopover {

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

double PastRelease::product(const Box& box) const {
  double product = 1;
  for (std::size_t f = 0; f < maps_.size(); ++f) {
    const auto [x, y] = sides(f, box);
    product *= map_share(f, x, y);
  }
  return product;
}

}  // namespace stopover
