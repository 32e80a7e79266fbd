#include "query/leaf_maps.h"

#include <algorithm>

namespace stopover {

LeafMaps::LeafMaps(const Release& release) {
  for (std::size_t t = release.tables.size() > 1 ? 1 : 0; t < release.tables.size(); ++t) {
    const Table& table = release.tables[t];
    maps_.push_back({StopMap(table, release.domain), table.axes[0], table.axes.size() > 1 ? table.axes[1] : kMaxAxes, {}});
  }
}

void LeafMaps::add_leaf(const std::uint32_t* bounds) {
  for (Map& map : maps_) {
    const Interval x{bounds[2 * map.x], bounds[2 * map.x + 1]};
    const Interval y = map.y < kMaxAxes ? Interval{bounds[2 * map.y], bounds[2 * map.y + 1]} : Interval{0, 1};
    const auto next = static_cast<std::uint32_t>(masses_.size());
    const auto [found, fresh] = map.places.try_emplace({x.lo, x.hi, y.lo, y.hi}, next);
    if (fresh) masses_.push_back(map.map.mass(x, y));
    places_.push_back(found->second);
  }
}

double LeafMaps::share(std::size_t leaf, std::size_t number, const std::uint32_t* bounds, Span x, Span y) const {
  const Map& map = maps_[number];
  const double whole = mass(leaf, number);
  if (whole > 0) return std::clamp(map.map.mass(x, y) / whole, 0.0, 1.0);
  const double along = (x.hi - x.lo) / (bounds[2 * map.x + 1] - bounds[2 * map.x]);
  return map.y < kMaxAxes ? along * ((y.hi - y.lo) / (bounds[2 * map.y + 1] - bounds[2 * map.y])) : along;
}

std::size_t LeafMaps::find(std::size_t x, std::size_t y) const {
  for (std::size_t m = 0; m < maps_.size(); ++m) {
    if (maps_[m].x == x && maps_[m].y == y) return m;
  }
  return kMaxAxes;
}

}  // namespace stopover
