// LeafMaps: how the trips of a leaf lie inside it, where a release says so by maps (AnswerModel::maps).
//
// The share of a leaf that a box takes is the product, over the maps, of the map's mass in both divided by its mass in the
// leaf. A leaf that a map says is empty is even along that map's axes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
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

  // Leaves that have the same sides on a map share a place there. Places are numbered over all maps.
  std::size_t places() const { return masses_.size(); }
  std::size_t place(std::size_t leaf, std::size_t number) const { return places_[leaf * maps_.size() + number]; }

  // How much of a leaf a box takes along one map's axes: `x`, `y` are what it leaves of the leaf's sides ({0, 1} for a map
  // of one axis). The share of the leaf is the product over the maps.
  double share(std::size_t leaf, std::size_t number, const std::uint32_t* bounds, Span x, Span y) const;

  // The number of the map with exactly these axes (y = kMaxAxes: of one axis); kMaxAxes if there is none.
  std::size_t find(std::size_t x, std::size_t y) const;
  const StopMap& map(std::size_t number) const { return maps_[number].map; }
  std::size_t size() const { return maps_.size(); }
  // The axes of a map; the second is kMaxAxes for a map of one.
  std::pair<std::size_t, std::size_t> axes(std::size_t number) const { return {maps_[number].x, maps_[number].y}; }
  // The map's mass in a leaf.
  double mass(std::size_t leaf, std::size_t number) const { return masses_[place(leaf, number)]; }

 private:
  struct Map {
    StopMap map;
    std::size_t x;
    std::size_t y;  // kMaxAxes for a map of one axis
    std::map<std::array<std::uint32_t, 4>, std::uint32_t> places;  // by the sides
  };
  std::vector<Map> maps_;
  std::vector<std::uint32_t> places_;  // [leaf][map]
  std::vector<double> masses_;         // [place]
};

// The shares of places that one question has met so far; memory to use again.
class KnownShares {
 public:
  void start(const LeafMaps& maps) {
    if (known_.size() != maps.places() || ++question_ == 0) {
      known_.assign(maps.places(), {});
      question_ = 1;
    }
  }
  // REQUIRES: start() came before. `share_of` is asked the first time.
  template <typename ShareOf>
  double get(std::size_t place, ShareOf share_of) {
    Known& known = known_[place];
    if (known.question != question_) known = {share_of(), question_};
    return known.share;
  }

 private:
  struct Known {
    double share = 0;
    std::uint32_t question = 0;
  };
  std::vector<Known> known_;
  std::uint32_t question_ = 0;
};

}  // namespace stopover
