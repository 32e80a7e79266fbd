// LeafMaps: how the trips of a leaf lie inside it, where a release says so by maps (AnswerModel::maps).
//
// The share of a leaf that a box takes is the product, over the maps, of the map's mass in both divided by its mass in the
// leaf. A leaf that a map says is empty is even along that map's axes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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
