// Cuts: how boxes are divided. Public: what is cut where never tells what lies there by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/box_sample.h"

namespace stopover {

// Edges inside a box at which it is divided: per axis of the view, strictly increasing, strictly inside. An empty list
// (or a missing one at the end) leaves that axis whole.
using Cuts = std::vector<std::vector<std::uint32_t>>;

// A box divided by one cut after another. nodes[0] cuts the whole box; what lies below the cut goes to `below`, the
// rest to `above`: another node's number (greater than this one's), or ~c for child c. Children are numbered 0, 1, ...
// each once.
struct CutTree {
  struct Node {
    std::uint32_t axis;
    std::uint32_t cut;
    std::int32_t below;
    std::int32_t above;
  };
  std::vector<Node> nodes;  // empty: one child, the box itself
};

}  // namespace stopover
