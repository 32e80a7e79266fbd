// JointBoxes: the boxes of anchor's joint tree, one node of every factor's StopTree each, and how they are cut.
//
// All of it follows from the released maps and public borders alone: cutting costs nothing. Not thread-safe, as
// StopTree.
#pragma once

#include <cstddef>
#include <functional>
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
  // What share of all trips is thought to lie in it: mu, or what is foretold of it.
  double mass = 1;
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

  // From now on the mass of a box, by which it is grown, is what this says of its bounds instead of mu. It need not add
  // up. REQUIRES: follows from what is public.
  using Foretold = std::function<double(const Box& bounds, double mu)>;
  void foretell(Foretold foretold) { foretold_ = std::move(foretold); }

  // What each of the boxes that `parent` was grown into has of its mass: they sum to 1. Without any it divides evenly.
  std::vector<double> shares_of(const std::vector<JointBox>& boxes, const JointBox& parent) const;

  // Over all axes.
  Box bounds(const JointBox& box) const;

  // What the base has in a box over all axes, of all.
  double mass(const Box& box) const;

 private:
  int widest(const JointBox& box) const;
  JointBox with_stop(const JointBox& box, std::size_t factor, int stop) const;

  std::vector<Factor> factors_;
  std::vector<StopMap> maps_;
  std::vector<StopTree> trees_;
  bool bordered_;
  std::size_t axes_ = 0;
  Foretold foretold_;
};

}  // namespace stopover
