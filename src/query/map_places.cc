#include "query/map_places.h"

#include <algorithm>
#include <numeric>

namespace stopover {

MapPlaces::MapPlaces(const Release& release) {
  for (std::size_t t = release.tables.size() > 1 ? 1 : 0; t < release.tables.size(); ++t) {
    const Table& table = release.tables[t];
    maps_.push_back(
        {StopMap(table, release.domain), table.axes[0], table.axes.size() > 1 ? table.axes[1] : kMaxAxes, {}, {}});
  }
}

void MapPlaces::take(PlaceNumbers nodes) {
  std::vector<std::vector<std::uint32_t>> sorted;  // [map]: the number here by the number of coming
  for (std::size_t m = 0; m < maps_.size(); ++m) {
    Map& map = maps_[m];
    const std::vector<PlaceNumbers::Rectangle>& rectangles = nodes.rectangles(m);
    std::vector<std::uint32_t> xs, ys;
    for (const auto& sides : rectangles) {
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
    const auto count = static_cast<std::uint32_t>(rectangles.size());
    map.places = {first, first + (count + kLanes - 1) / kLanes * kLanes};
    places_.resize(map.places.hi);
    std::vector<std::uint32_t> order(count);
    std::vector<std::uint32_t>& numbers = sorted.emplace_back(count);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return rectangles[a] < rectangles[b]; });
    std::uint32_t next = 0;
    for (const std::uint32_t number : order) {
      const PlaceNumbers::Rectangle& sides = rectangles[number];
      numbers[number] = first + next;
      const Interval x{sides[0], sides[1]}, y{sides[2], sides[3]};
      places_[first + next++] = {x,
                                 y,
                                 map.map.mass(x, y),
                                 {{map.map.below(x.lo, y.lo), map.map.below(x.lo, y.hi)},
                                  {map.map.below(x.hi, y.lo), map.map.below(x.hi, y.hi)}},
                                 {number_of(xs, x.lo), number_of(xs, x.hi)},
                                 {number_of(ys, y.lo), number_of(ys, y.hi)}};
    }
  }
  of_ = std::move(nodes).taken();
  for (std::size_t i = 0; i < of_.size(); ++i) of_[i] = sorted[i % maps_.size()][of_[i]];
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
