// StopTree: how the boxes of one factor are cut, derived from its released map alone.
//
// A box is cut where that takes away most of its variance on the map (so that trips of one part are near each other).
// The tree is canonical: a box is always cut the same way, whoever asks; it grows as it is asked. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/box.h"
#include "release/stop_map.h"

namespace stopover {

class StopTree {
 public:
  struct Node {
    Interval x, y;       // y is {0, 1} for a factor of one axis
    double mass = 0;     // share of the map's total
    double scatter = 0;  // variance of the place within the box, over both axes, as a share of the squared map sides
    // Filled by cut(): 0 the first axis, 1 the second, -1 a single cell that cannot be cut.
    int axis = -2;
    std::uint32_t at = 0;
    int below = -1, above = -1;
  };

  explicit StopTree(const StopMap& map);

  static constexpr int kRoot = 0;
  const Node& node(int number) const { return nodes_[static_cast<std::size_t>(number)]; }
  // Makes sure that the node knows its cut and, if it can be cut, its two parts.
  const Node& cut(int number);

 private:
  struct Best {
    double gain = -1;
    int axis = -1;
    std::uint32_t at = 0;
  };
  int make(Interval x, Interval y);
  void find_cut(const Node& node, Best& best) const;

  const StopMap& map_;
  double total_;
  std::vector<Node> nodes_;
};

}  // namespace stopover
