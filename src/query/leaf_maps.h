// LeafMaps: how the trips of a leaf lie inside it, where a release says so by maps (AnswerModel::maps).
//
// The share of a leaf that a box takes is the product, over the maps, of the map's mass in both divided by its mass in the
// leaf. A leaf that a map says is empty is even along that map's axes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "domain/box.h"
#include "release/release.h"
#include "release/stop_map.h"

namespace stopover {

class LeafMaps {
 public:
  // REQUIRES: check_release passes; the answer model is maps.
  explicit LeafMaps(const Release& release);

  // Remembers a leaf; leaves are numbered 0, 1, ... `bounds`: lo, hi of axis 0, lo, hi of axis 1, ...
  void add_leaf(const std::uint32_t* bounds);

  // `part`: what the box leaves of the leaf, per axis; `cut`: whether that is less than the leaf's side.
  double share(std::size_t leaf, const std::uint32_t* bounds, const std::array<Span, kMaxAxes>& part,
               std::uint32_t cut) const;

  // The number of the map with exactly these axes (y = kMaxAxes: of one axis); kMaxAxes if there is none.
  std::size_t find(std::size_t x, std::size_t y) const;
  const StopMap& map(std::size_t number) const { return maps_[number].map; }
  std::size_t size() const { return maps_.size(); }
  // The axes of a map; the second is kMaxAxes for a map of one.
  std::pair<std::size_t, std::size_t> axes(std::size_t number) const { return {maps_[number].x, maps_[number].y}; }
  // The map's mass in a leaf.
  double mass(std::size_t leaf, std::size_t number) const { return masses_[leaf * maps_.size() + number]; }

 private:
  struct Map {
    StopMap map;
    std::size_t x;
    std::size_t y;  // kMaxAxes for a map of one axis
    std::uint32_t axes;  // a bit each
  };
  std::vector<Map> maps_;
  std::vector<double> masses_;  // [leaf][map]
};

}  // namespace stopover
