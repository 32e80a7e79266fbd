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
  for (std::size_t f = 0; f < past.factors_.size(); ++f) {
    MapTree& tree = past.trees_.emplace_back();
    const Table& map = table.tables[f + 1];
    for (std::size_t row = 0; row < map.rows(); ++row) tree.boxes.push_back(map.box(row));
    tree.children = families_of(map).children;
  }
  return past;
}

bool PastRelease::knows(std::size_t factor, Interval x, Interval y) const {
  if (trees_.empty()) return true;
  const MapTree& tree = trees_[factor];
  const auto holds = [&](std::size_t row) {
    const Box& box = tree.boxes[row];
    const Interval second = box.axes() > 1 ? box[1] : Interval{0, 1};
    return box[0].lo <= x.lo && x.hi <= box[0].hi && second.lo <= y.lo && y.hi <= second.hi;
  };
  std::size_t row = 0;
  for (;;) {
    const auto [first, last] = tree.children[row];
    if (first == last) return false;
    std::size_t child = first;
    while (child < last && !holds(child)) ++child;
    if (child == last) return true;
    row = child;
  }
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
