// PlaceNumbers: the places of nodes on maps while an index is built: every rectangle of a map that is some node's side
// gets a number when it first comes. MapPlaces (map_places.h) puts them in order and computes what questions need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "release/release.h"

namespace stopover {

class PlaceNumbers {
 public:
  using Rectangle = std::array<std::uint32_t, 4>;  // lo, hi of x, of y

  // Of no map.
  PlaceNumbers() = default;
  // REQUIRES: the answer model is maps.
  explicit PlaceNumbers(const Release& release);

  // Room for so many nodes.
  void reserve(std::size_t nodes) { of_.reserve(nodes * maps_.size()); }
  // The next node. `bounds`: lo, hi of axis 0, lo, hi of axis 1, ...
  void add_node(const std::uint32_t* bounds);
  // All nodes of the other, which has the same maps, behind those here.
  void append(const PlaceNumbers& other);

  // The rectangles of a map, by number.
  const std::vector<Rectangle>& rectangles(std::size_t map) const { return maps_[map].rectangles; }
  // [node][map]
  std::vector<std::uint32_t> taken() && { return std::move(of_); }

 private:
  struct Map {
    std::size_t x;
    std::size_t y;  // kMaxAxes for a map of one axis
    std::vector<Rectangle> rectangles;
    std::vector<std::uint32_t> numbers;  // by a hash of the sides, kNone where there is none; at most half full
    std::uint32_t last;                  // the number that came last: neighbours often share it

    std::uint32_t number_of(const Rectangle& rectangle);
    std::size_t slot_of(const Rectangle& rectangle) const;
  };
  std::vector<Map> maps_;
  std::vector<std::uint32_t> of_;
};

}  // namespace stopover
