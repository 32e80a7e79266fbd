#include "query/map_places.h"

#include <algorithm>
#include <numeric>

namespace stopover {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

// Without a branch a side.
bool same(const std::array<std::uint32_t, 4>& a, const std::array<std::uint32_t, 4>& b) {
  return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) == 0;
}

}  // namespace

MapPlaces::MapPlaces(const Release& release) {
  for (std::size_t t = release.tables.size() > 1 ? 1 : 0; t < release.tables.size(); ++t) {
    const Table& table = release.tables[t];
    maps_.push_back({StopMap(table, release.domain),
                     table.axes[0],
                     table.axes.size() > 1 ? table.axes[1] : kMaxAxes,
                     {},
                     {},
                     0,
                     {},
                     {}});
  }
}

std::size_t MapPlaces::Map::slot_of(const std::array<std::uint32_t, 4>& rectangle) const {
  // Two sides at a time: a chain of four multiplications would be waited for.
  const std::uint64_t wide = rectangle[0] | std::uint64_t{rectangle[1]} << 32;
  const std::uint64_t high = rectangle[2] | std::uint64_t{rectangle[3]} << 32;
  std::uint64_t hash = wide * 0x9e3779b97f4a7c15 ^ high * 0xc2b2ae3d27d4eb4f;
  hash ^= hash >> 32;
  hash *= 0x9e3779b97f4a7c15;
  std::size_t slot = (hash >> 32) & (numbers.size() - 1);
  while (numbers[slot] != kNone && !same(sides[numbers[slot]], rectangle)) slot = (slot + 1) & (numbers.size() - 1);
  return slot;
}

std::uint32_t MapPlaces::Map::number_of(const std::array<std::uint32_t, 4>& rectangle) {
  if (last < sides.size() && same(sides[last], rectangle)) return last;
  if (2 * sides.size() >= numbers.size()) {
    numbers.assign(std::max<std::size_t>(64, 2 * numbers.size()), kNone);
    for (std::uint32_t i = 0; i < sides.size(); ++i) numbers[slot_of(sides[i])] = i;
  }
  std::uint32_t& number = numbers[slot_of(rectangle)];
  if (number == kNone) {
    number = static_cast<std::uint32_t>(sides.size());
    sides.push_back(rectangle);
  }
  return last = number;
}

void MapPlaces::reserve(std::size_t nodes) { of_.reserve(nodes * maps_.size()); }

void MapPlaces::add_node(const std::uint32_t* bounds) {
  for (Map& map : maps_) {
    const Interval x{bounds[2 * map.x], bounds[2 * map.x + 1]};
    const Interval y = map.y < kMaxAxes ? Interval{bounds[2 * map.y], bounds[2 * map.y + 1]} : Interval{0, 1};
    of_.push_back(map.number_of({x.lo, x.hi, y.lo, y.hi}));
  }
}

void MapPlaces::finish() {
  for (std::size_t m = 0; m < maps_.size(); ++m) {
    Map& map = maps_[m];
    std::vector<std::uint32_t> xs, ys;
    for (const auto& sides : map.sides) {
      xs.insert(xs.end(), {sides[0], sides[1]});
      ys.insert(ys.end(), {sides[2], sides[3]});
    }
    for (std::vector<std::uint32_t>* edges : {&xs, &ys}) {
      std::sort(edges->begin(), edges->end());
      edges->erase(std::unique(edges->begin(), edges->end()), edges->end());
    }
    map.edges = Edges(map.map, xs, ys);
    const auto number_of = [](const std::vector<std::uint32_t>& edges, std::uint32_t edge) {
      return static_cast<std::uint32_t>(std::lower_bound(edges.begin(), edges.end(), edge) - edges.begin());
    };
    const auto first = static_cast<std::uint32_t>(places_.size());
    const auto count = static_cast<std::uint32_t>(map.sides.size());
    map.places = {first, first + (count + kLanes - 1) / kLanes * kLanes};
    places_.resize(map.places.hi);
    std::vector<std::uint32_t> order(count), sorted(count);  // sorted: the number by the order of coming
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return map.sides[a] < map.sides[b]; });
    std::uint32_t next = 0;
    for (const std::uint32_t number : order) {
      const std::array<std::uint32_t, 4>& sides = map.sides[number];
      sorted[number] = next;
      const Interval x{sides[0], sides[1]}, y{sides[2], sides[3]};
      places_[first + next++] = {x,
                                 y,
                                 map.map.mass(x, y),
                                 {{map.map.below(x.lo, y.lo), map.map.below(x.lo, y.hi)},
                                  {map.map.below(x.hi, y.lo), map.map.below(x.hi, y.hi)}},
                                 {number_of(xs, x.lo), number_of(xs, x.hi)},
                                 {number_of(ys, y.lo), number_of(ys, y.hi)}};
    }
    map.numbers = {};
    map.sides = {};
    for (std::size_t node = 0; node < of_.size() / maps_.size(); ++node) {
      std::uint32_t& place = of_[node * maps_.size() + m];
      place = first + sorted[place];
    }
  }
  sides_.resize(places_.size() / kLanes);
  for (std::size_t p = 0; p < places_.size(); ++p) {
    Sides& sides = sides_[p / kLanes];
    sides.x_lo[p % kLanes] = static_cast<std::int32_t>(places_[p].x.lo);
    sides.x_hi[p % kLanes] = static_cast<std::int32_t>(places_[p].x.hi);
    sides.y_lo[p % kLanes] = static_cast<std::int32_t>(places_[p].y.lo);
    sides.y_hi[p % kLanes] = static_cast<std::int32_t>(places_[p].y.hi);
  }
}

MapPlaces::Edges::Edges(const StopMap& map, const std::vector<std::uint32_t>& x_edges,
                        const std::vector<std::uint32_t>& y_edges)
    : step_(map.step()),
      width_(map.width()),
      height_(map.height()),
      x_edges_(x_edges.size()),
      y_edges_(y_edges.size()) {
  const auto steps = [&](std::uint32_t cells) { return (std::size_t{cells} + step_ - 1) / step_ + 1; };
  at_x_.reserve(steps(width_) * y_edges_);
  for (std::size_t i = 0; i < steps(width_); ++i) {
    const auto x = static_cast<std::uint32_t>(std::min<std::size_t>(width_, i * step_));
    for (const std::uint32_t y : y_edges) at_x_.push_back(map.below(x, y));
  }
  at_y_.reserve(steps(height_) * x_edges_);
  for (std::size_t i = 0; i < steps(height_); ++i) {
    const auto y = static_cast<std::uint32_t>(std::min<std::size_t>(height_, i * step_));
    for (const std::uint32_t x : x_edges) at_y_.push_back(map.below(x, y));
  }
}

std::size_t MapPlaces::find(std::size_t x, std::size_t y) const {
  for (std::size_t m = 0; m < maps_.size(); ++m) {
    if (maps_[m].x == x && maps_[m].y == y) return m;
  }
  return kMaxAxes;
}

}  // namespace stopover
