// MapPlaces: where the nodes of an index lie on the maps that say how trips lie inside leaves (AnswerModel::maps).
//
// The share of a leaf that a region takes is the product, over the maps, of the map's mass in both divided by its mass
// in the leaf. A leaf that a map says is empty is even along that map's axes.
//
// Thousands of nodes share a few hundred places on each map, so a question looks at places, each once (map_walk.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "domain/box.h"
#include "query/place_numbers.h"
#include "release/release.h"
#include "release/stop_map.h"

namespace stopover {

class MapPlaces {
 public:
  // A rectangle of a map; y is {0, 1} for a map of one axis.
  struct Place {
    Interval x, y;
    double mass = 0;                           // of the map
    double below[2][2]{};                      // StopMap::below at its corners: [x lo, hi][y lo, hi]
    std::uint32_t x_edges[2]{}, y_edges[2]{};  // the numbers of its sides among the map's edges
  };

  // StopMap::below where one coordinate is a side of some place and the other anything: what the shares of places that
  // a box cuts are made of. The values for one x, or one y, lie side by side.
  class Edges {
   public:
    // Of one x (or y), by the number of the other's edge.
    struct Row {
      const double* before = nullptr;
      const double* after = nullptr;
      double part = 0;  // of the way from one to the other
      double operator[](std::uint32_t edge) const { return before[edge] + part * (after[edge] - before[edge]); }
    };

    Edges() = default;
    Edges(const StopMap& map, const std::vector<std::uint32_t>& x_edges, const std::vector<std::uint32_t>& y_edges);
    Row at_x(double x) const { return row(at_x_, x, y_edges_, width_); }
    Row at_y(double y) const { return row(at_y_, y, x_edges_, height_); }

   private:
    Row row(const std::vector<double>& table, double at, std::size_t width, std::uint32_t cells) const {
      const std::uint32_t i = static_cast<std::uint32_t>(at) / step_, lo = i * step_;
      const double* before = table.data() + i * width;
      // The last step may be shorter. With steps of one cell this divides by 1.
      const std::uint32_t length = cells - lo < step_ ? cells - lo : step_;
      return {before, lo == at ? before : before + width, lo == at ? 0 : (at - lo) / length};
    }
    std::uint32_t step_ = 1, width_ = 0, height_ = 0;
    std::size_t x_edges_ = 0, y_edges_ = 0;
    std::vector<double> at_x_;  // [step of x][y edge], and of the end
    std::vector<double> at_y_;  // [step of y][x edge]
  };

  // Without a node yet. REQUIRES: check_release passes; the answer model is maps.
  explicit MapPlaces(const Release& release);

  // All nodes, once.
  void take(PlaceNumbers nodes);

  // Places are numbered over all maps, one map after the other, by where they start along x; a node has one on each.
  // The number of a map's first place and of places on a map are multiples of kLanes: the last ones may be empty
  // places.
  static constexpr std::uint32_t kLanes = 4;
  using Lanes = std::int32_t __attribute__((vector_size(kLanes * sizeof(std::int32_t))));
  std::size_t places() const { return places_.size(); }
  Interval places_on(std::size_t map) const { return maps_[map].places; }
  const Place& place(std::size_t number) const { return places_[number]; }
  // The sides of places kLanes i, kLanes i + 1, ...
  struct Sides {
    Lanes x_lo, x_hi, y_lo, y_hi;
  };
  const Sides& sides(std::size_t i) const { return sides_[i]; }
  const std::uint32_t* of(std::size_t node) const { return of_.data() + node * maps_.size(); }

  // The number of the map with exactly these axes (y = kMaxAxes: of one axis); kMaxAxes if there is none.
  std::size_t find(std::size_t x, std::size_t y) const;
  const StopMap& map(std::size_t number) const { return maps_[number].map; }
  const Edges& edges(std::size_t number) const { return maps_[number].edges; }
  std::size_t size() const { return maps_.size(); }
  // The axes of a map; the second is kMaxAxes for a map of one.
  std::pair<std::size_t, std::size_t> axes(std::size_t number) const { return {maps_[number].x, maps_[number].y}; }
  // Of a node along an axis.
  Interval side(std::size_t node, std::size_t axis) const {
    std::size_t m = 0;
    while (maps_[m].x != axis && maps_[m].y != axis) ++m;
    const Place& place = places_[of(node)[m]];
    return maps_[m].x == axis ? place.x : place.y;
  }
  // The map's mass in a node.
  double mass(std::size_t node, std::size_t number) const { return places_[of(node)[number]].mass; }

 private:
  struct Map {
    StopMap map;
    std::size_t x;
    std::size_t y;  // kMaxAxes for a map of one axis
    Interval places;
    Edges edges;
  };
  std::vector<Map> maps_;
  std::vector<std::uint32_t> of_;  // [node][map]
  std::vector<Place> places_;
  std::vector<Sides> sides_;
};

}  // namespace stopover
