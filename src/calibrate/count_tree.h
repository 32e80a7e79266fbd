// CountTree: what counts of a released tree may truly have been.
//
// A release measures boxes within boxes, each with known noise. Before any count is seen, trips of a box are believed
// to divide among its parts as a base says (shares), but to clump: at every halving of a box the share that goes one
// way is Beta distributed about the base's, with dispersion theta (0: trips choose one by one; 1: all go together). How
// much they clump is read off the release itself: counts depart from the base beyond their noise (kappa). With that
// belief and the noise known, whole counts are drawn from what remains possible: from the root down, each box's trips
// divided in halves, the halves in halves, weighing belief against what was counted in them.
//
//   CountTree tree;  ... add nodes, parents first, the children of a node together ...
//   tree.settle();
//   std::vector<std::uint32_t> truth = tree.draw(numbers);   // one per node, children sum to their parent
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "synthetic/number_sequence.h"

namespace stopover {

// How trips of a box clump when it is halved: n of them divide with dispersion `smooth` + `cluster`/n. The first is
// uneven ground (a share is as uneven for many trips as for few), the second company (trips go in groups of 1 +
// cluster).
struct Clumping {
  double smooth = 0, cluster = 0;
  double theta(double trips) const { return smooth + cluster / trips; }
};

class CountTree {
 public:
  struct Node {
    double count = 0;                                           // as measured
    double variance = std::numeric_limits<double>::infinity();  // of its noise; infinite: not measured
    double share = 1;                                           // of the parent's trips, by the base
    std::uint32_t first = 0, last = 0;                          // its children
    std::uint16_t depth = 0;
    // By settle(): value and variance from all counts at and below; what is known of the family it heads.
    double up = 0, up_variance = 0;
    Clumping clumping{};
  };

  std::vector<Node> nodes;  // node 0 is the root

  // Computes `up`, and the clumping of every family: that of its depth, its own ground as far as noise lets it show.
  void settle();

  // How far counts depart from the shares, in units of their noise: to compare bases. Before settle().
  double misfit();

  // Of the halvings inside a leaf: that of the family it is in.
  const Clumping& below(std::size_t leaf) const { return below_[leaf]; }

  // Trips are believed to clump `doubt` times as much as they seem to: the more, the less the base counts against the
  // counts.
  std::vector<std::uint32_t> draw(NumberSequence& numbers, double doubt = 1) const;

 private:
  void go_up();
  struct Seen {
    double value, variance;
    bool single;  // one Laplace variable rather than a sum of many
  };
  double total_of(const Node& node, double& noise) const;
  static double excess(const Node& child, double total, double noise);
  Clumping level_clumping(std::uint16_t depth) const;
  Clumping family_clumping(const Node& node, const Clumping& level) const;
  void divide(const std::vector<Seen>& seen, const std::vector<double>& shares, std::size_t from, std::size_t to,
              std::uint32_t trips, const Clumping& clumping, NumberSequence& numbers, std::uint32_t* out) const;

  std::vector<Clumping> below_;
};

// How many of `trips` go left, of Beta-binomial law with mean `share` and dispersion theta.
std::uint32_t draw_side(std::uint32_t trips, double share, double theta, NumberSequence& numbers);

// A Beta variable with mean `share` and dispersion theta.
double draw_share(double share, double theta, NumberSequence& numbers);

}  // namespace stopover
