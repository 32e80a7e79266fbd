// StopTree: how the boxes of one factor are cut, derived from its released map alone.
//
// A box is cut where that takes away most of its variance on the map (so that trips of one part are near each other);
// with public borders also where it parts areas, and boxes that lie in one area are cut last.
// The tree is canonical: a box is always cut the same way, whoever asks; it grows as it is asked. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/box.h"
#include "mechanism/borders.h"
#include "release/stop_map.h"

namespace stopover {

class StopTree {
 public:
  struct Node {
    Interval x, y;    // y is {0, 1} for a factor of one axis
    double mass = 0;  // share of the map's total
    // Variance of the place within the box, over both axes, as a share of the squared map sides; with borders, less
    // where the box lies in one area.
    double scatter = 0;
    // Filled by cut(): 0 the first axis, 1 the second, -1 a single cell that cannot be cut.
    int axis = -2;
    std::uint32_t at = 0;
    int below = -1, above = -1;
  };

  // `borders`: nullptr, or areas of the map's own cells.
  explicit StopTree(const StopMap& map, const Borders* borders = nullptr);

  static constexpr int kRoot = 0;
  const Node& node(int number) const { return nodes_[static_cast<std::size_t>(number)]; }
  // Makes sure that the node knows its cut and, if it can be cut, its two parts.
  const Node& cut(int number);

  // As how many equal areas the map's trips are spread over: 1 over the chance that two of them lie in the same one.
  // Without borders 1.
  double areas();

 private:
  struct Best {
    double gain = -1;
    int axis = -1;
    std::uint32_t at = 0;
  };
  int make(Interval x, Interval y);
  void find_cut(const Node& node, Best& best);
  // The mixture of areas in the box: the chance that two of its trips, by the map, lie in different ones. `gains`, if
  // given, gets for each cut along `axis` (gains[i]: before its line i) the share of the mixture that it takes away.
  double mixture(const Node& node, int axis, std::vector<double>* gains);

  const StopMap& map_;
  const Borders* borders_;
  std::vector<double> in_area_, below_;  // [area]: for mixture(); 0 between calls
  double total_;
  std::vector<Node> nodes_;
};

}  // namespace stopover
