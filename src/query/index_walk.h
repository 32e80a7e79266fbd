// IndexWalk: the way of one region through a BoxIndex. Internal to answerer.cc and leaf_shares.cc.
//
// The walk goes from the root down where the border of the region runs and hands everything else to a visitor in runs:
// `n` sibling nodes from `first` on, of which the region covers the same share.
//   inside(first, n, parent, sum)      wholly covered; sum() gives their Sums
//   cut(first, n, share, parent, sum)  leaves covered in part
//   enter(node), leave(node)           only where kMeasurements: around what lies below a measured node on the border
//   outside(first, n, parent)          only where kOutside and wants_outside(); outside_together(sum) is asked first
//                                      and may take all that a grid has outside at once
//   any_leaves(parent, sums, each)     only where kTakesAnyLeaf: each(use) calls use(leaf, share, cut) for what the
//                                      region takes, inside or cut, of the children of a node, all leaves
// `parent` is kNone for the root. Runs come in a fixed order, so sums are the same bits every time.
//
// What the region covers of a node is the Reach's to say, in terms of conditions that all have to hold, a bit each:
//   Mask all()                         every condition
//   bool outside(node, Mask& open)     whether one fails all over the node; if not, `open` keeps those that cut it
//   double share(node, Mask open)      of a leaf, given what cuts it
// Three kinds: BoxWalk (box_walk.h) for boxes where trips lie evenly in leaves, RegionWalk (region_walk.h) for planes
// there, MapWalk (map_walk.h) for both where maps say how they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "query/box_index.h"

namespace stopover {

using WalkMask = std::uint32_t;

struct WalkStep {
  std::uint32_t node;
  WalkMask open;  // the conditions that cut it; 0: all below it has been seen
};

// The nodes that are still to be seen; memory to use again from walk to walk.
class WalkSteps {
 public:
  void clear() { size_ = 0; }
  bool empty() const { return size_ == 0; }
  [[gnu::always_inline]] void push(WalkStep step) {
    if (size_ == steps_.size()) [[unlikely]]
      grow();
    steps_.data()[size_++] = step;
  }
  WalkStep pop() { return steps_.data()[--size_]; }

 private:
  [[gnu::noinline]] void grow() { steps_.resize(2 * size_ + 64); }
  std::vector<WalkStep> steps_;
  std::size_t size_ = 0;
};

// Self may hide see_children with a quicker way to find the children that the region touches.
template <typename Self, typename Reach, typename Visitor>
class IndexWalk {
 public:
  IndexWalk(const BoxIndex& index, Reach& reach, WalkSteps& steps, Visitor& visitor)
      : index_(index),
        nodes_(index.nodes().data()),
        sums_(index.sums().data()),
        reach_(reach),
        steps_(steps),
        visitor_(visitor) {}

  void run() {
    steps_.clear();
    see(0, BoxIndex::kNone, reach_.all());
    while (!steps_.empty()) {
      const WalkStep step = steps_.pop();
      if constexpr (Visitor::kMeasurements) {
        if (step.open == 0) {
          visitor_.leave(step.node);
          continue;
        }
        if (nodes_[step.node].measurement != BoxIndex::kNone) {
          visitor_.enter(step.node);
          steps_.push({step.node, 0});
        }
      }
      static_cast<Self*>(this)->see_children(step.node, step.open);
    }
  }

 protected:
  using Node = BoxIndex::Node;

  void see_children(std::uint32_t parent, WalkMask open) {
    const Node& node = nodes_[parent];
    const std::uint32_t end = node.first + node.children;
    for (std::uint32_t at = node.first; at < end; ++at) see(at, parent, open);
  }

  [[gnu::always_inline]] void see(std::uint32_t at, std::uint32_t parent, WalkMask open) {
    if (reach_.outside(at, open)) {
      if constexpr (Visitor::kOutside) {
        if (visitor_.wants_outside()) visitor_.outside(at, 1, parent);
      }
    } else if (open == 0) {
      visitor_.inside(at, 1, parent, [&] { return sums_[at]; });
    } else {
      see_border(at, parent, open);
    }
  }

  // A node that the region cuts.
  [[gnu::always_inline]] void see_border(std::uint32_t at, std::uint32_t parent, WalkMask open) {
    if (nodes_[at].children == 0) {
      visitor_.cut(at, 1, reach_.share(at, open), parent, [&] { return sums_[at]; });
    } else {
      steps_.push({at, open});
    }
  }

  const BoxIndex& index_;
  const Node* nodes_;
  const Sums* sums_;
  Reach& reach_;
  WalkSteps& steps_;
  Visitor& visitor_;
};

}  // namespace stopover
