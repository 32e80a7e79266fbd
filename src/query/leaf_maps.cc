#include "query/leaf_maps.h"

#include <algorithm>

namespace stopover {

LeafMaps::LeafMaps(const Release& release) {
  for (std::size_t t = release.tables.size() > 1 ? 1 : 0; t < release.tables.size(); ++t) {
    const Table& table = release.tables[t];
    const std::size_t y = table.axes.size() > 1 ? table.axes[1] : kMaxAxes;
    std::uint32_t axes = std::uint32_t{1} << table.axes[0];
    if (y < kMaxAxes) axes |= std::uint32_t{1} << y;
    maps_.push_back({StopMap(table, release.domain), table.axes[0], y, axes});
  }
}

void LeafMaps::add_leaf(const std::uint32_t* bounds) {
  for (const Map& map : maps_) {
    const Interval x{bounds[2 * map.x], bounds[2 * map.x + 1]};
    const Interval y = map.y < kMaxAxes ? Interval{bounds[2 * map.y], bounds[2 * map.y + 1]} : Interval{0, 1};
    masses_.push_back(map.map.mass(x, y));
  }
}

double LeafMaps::share(std::size_t leaf, const std::uint32_t* bounds, const std::array<Span, kMaxAxes>& part,
                       std::uint32_t cut) const {
  double product = 1;
  for (std::size_t m = 0; m < maps_.size(); ++m) {
    const Map& map = maps_[m];
    if ((map.axes & cut) == 0) continue;
    const Span x = part[map.x];
    const Span y = map.y < kMaxAxes ? part[map.y] : Span{0, 1};
    const double whole = masses_[leaf * maps_.size() + m];
    if (whole > 0) {
      product *= std::clamp(map.map.mass(x, y) / whole, 0.0, 1.0);
    } else {
      product *= (x.hi - x.lo) / (bounds[2 * map.x + 1] - bounds[2 * map.x]);
      if (map.y < kMaxAxes) product *= (y.hi - y.lo) / (bounds[2 * map.y + 1] - bounds[2 * map.y]);
    }
  }
  return product;
}

std::size_t LeafMaps::find(std::size_t x, std::size_t y) const {
  for (std::size_t m = 0; m < maps_.size(); ++m) {
    if (maps_[m].x == x && maps_[m].y == y) return m;
  }
  return kMaxAxes;
}

}  // namespace stopover
