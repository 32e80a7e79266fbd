// JointBoxes: the boxes of anchor's joint tree, one node of every factor's StopTree each, and how they are cut.
//
// All of it follows from the released maps and public borders alone: cutting costs nothing. Not thread-safe, as
// StopTree.
#pragma once

#include <cstddef>
#include <vector>

#include "mechanism/factors.h"
#include "mechanism/stop_tree.h"
#include "privacy/kernel.h"
#include "release/stop_map.h"

namespace stopover {

struct JointBox {
  std::vector<int> stops;
  double mu = 1;  // product of the stops' masses
  // Variances of independent places add: this is how far apart the trips of a box lie under the base, squared.
  double spread = 0;  // sum of their scatters
};

class JointBoxes {
 public:
  // One map per factor, and its public borders or nullptr.
  JointBoxes(std::vector<Factor> factors, std::vector<StopMap> maps, const std::vector<const Borders*>& borders);
  JointBoxes(const JointBoxes&) = delete;  // trees point to maps
  JointBoxes& operator=(const JointBoxes&) = delete;

  // How many tuples of areas, one per factor, the base spreads trips over as if evenly; 0 if a factor has no borders.
  double area_tuples();

  // The root: all of every map.
  JointBox whole() const;

  // Grows a box into about `parts` boxes, the one with the most trips far apart first, each cut at its own stops'
  // trees. `cuts` becomes the tree that divides the region so, its children numbered as the result. One box: it cannot
  // be cut.
  std::vector<JointBox> grow(const JointBox& whole, std::size_t parts, CutTree& cuts);

  // Over all axes.
  Box bounds(const JointBox& box, std::size_t axes) const;

 private:
  int widest(const JointBox& box) const;
  JointBox with_stop(const JointBox& box, std::size_t factor, int stop) const;

  std::vector<Factor> factors_;
  std::vector<StopMap> maps_;
  std::vector<StopTree> trees_;
  bool bordered_;
};

// What each of the boxes that `parent` was grown into has of it under the base. A box in which the base has no mass
// divides evenly.
std::vector<double> shares_of(const std::vector<JointBox>& boxes, const JointBox& parent);

}  // namespace stopover
