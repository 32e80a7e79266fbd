#include "exports/trip_centres.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace stopover {
namespace {

// The part of a side that lies in tile i, in tiles.
Span within_tile(Span side, std::uint32_t i) {
  return {std::max(side.lo, static_cast<double>(i)), std::min(side.hi, i + 1.0)};
}

// The centre of mass along the first axis of a map: sum of mass x middle over the tiles that the side touches. What
// lies in a tile is even there. Without mass: the middle of the side.
template <typename Mass>
double centre(Span side, const Mass& mass) {
  double all = 0, moment = 0;
  const auto last = static_cast<std::uint32_t>(std::ceil(side.hi));
  for (auto i = static_cast<std::uint32_t>(side.lo); i < last; ++i) {
    const Span part = within_tile(side, i);
    const double here = mass(part);
    all += here;
    moment += here * (part.lo + part.hi) / 2;
  }
  return all > 0 ? std::clamp(moment / all, side.lo, side.hi) : (side.lo + side.hi) / 2;
}

}  // namespace

TripCentres::TripCentres(const TripModel& model, const std::vector<StopPlace>& places) : domain_(model.domain()) {
  for (const StopPlace& place : places) {
    const std::uint32_t lon_cells = domain_.axis(place.lon).cells, lat_cells = domain_.axis(place.lat).cells;
    const std::uint32_t width = std::min(kTiles, lon_cells), height = std::min(kTiles, lat_cells);
    const double cells_lon = static_cast<double>(lon_cells) / width,
                 cells_lat = static_cast<double>(lat_cells) / height;
    StopMap::Density density(width, height);
    if (const StopMap* map = model.map_of(place.lon, place.lat)) {
      const bool lon_first = place.lon < place.lat;
      for (std::uint32_t i = 0; i < width; ++i) {
        const Span x{i * cells_lon, (i + 1) * cells_lon};
        for (std::uint32_t j = 0; j < height; ++j) {
          const Span y{j * cells_lat, (j + 1) * cells_lat};
          density.row(i)[j] += std::max(0.0, lon_first ? map->mass(x, y) : map->mass(y, x));
        }
      }
    } else {
      // Thousands of partitions have the same rectangle at a stop: each rectangle is spread once.
      std::map<std::array<std::uint32_t, 4>, double> masses;
      for (std::size_t leaf = 0; leaf < model.leaves(); ++leaf) {
        const Interval x = model.box(leaf)[place.lon], y = model.box(leaf)[place.lat];
        masses[{x.lo, x.hi, y.lo, y.hi}] += model.estimate(leaf);
      }
      for (const auto& [sides, mass] : masses) {
        const Span x{sides[0] / cells_lon, sides[1] / cells_lon}, y{sides[2] / cells_lat, sides[3] / cells_lat};
        // Even: a tile has the share of the rectangle's area that lies in it, the product of the shares of its sides.
        const double per_area = mass / ((x.hi - x.lo) * (y.hi - y.lo));
        for (auto i = static_cast<std::uint32_t>(x.lo); i < width && i < x.hi; ++i) {
          const Span column = within_tile(x, i);
          for (auto j = static_cast<std::uint32_t>(y.lo); j < height && j < y.hi; ++j) {
            const Span row = within_tile(y, j);
            density.row(i)[j] += per_area * (column.hi - column.lo) * (row.hi - row.lo);
          }
        }
      }
    }
    layers_.push_back({place, cells_lon, cells_lat, StopMap(std::move(density))});
  }
}

GeoPoint TripCentres::of(std::size_t stop, const Box& box) const {
  const Layer& layer = layers_[stop];
  const Interval lon = box[layer.place.lon], lat = box[layer.place.lat];
  const Span x{lon.lo / layer.cells_lon, lon.hi / layer.cells_lon};
  const Span y{lat.lo / layer.cells_lat, lat.hi / layer.cells_lat};
  const double at_x = centre(x, [&](Span part) { return layer.density.mass(part, y); });
  const double at_y = centre(y, [&](Span part) { return layer.density.mass(x, part); });
  const Axis &east = domain_.axis(layer.place.lon), &north = domain_.axis(layer.place.lat);
  const auto degrees = [](const Axis& axis, double cells) {
    return axis.lower + (axis.upper - axis.lower) * cells / axis.cells;
  };
  return {degrees(east, at_x * layer.cells_lon), degrees(north, at_y * layer.cells_lat)};
}

}  // namespace stopover
