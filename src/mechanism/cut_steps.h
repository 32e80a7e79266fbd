// Trees that are planned in steps: every box of a level is divided in the same way, by a rule that the plan knows
// beforehand (which axis, how the cut is found, what is paid for it and for the counts). quadtree, kd-tree, kd-hybrid
// and htf are such.
//
//   TreeTable tree(kernel, "joint", all_axes(kernel.domain()), kernel.left());
//   Family root = tree.take_root();
//   tree.count(root, share(root.left(), 1, 100));
//   grow_by_steps(kernel, tree, std::move(root), steps, {.stop = 32, .max_partitions = 1 << 22});
//
// Every path ends in a box that is counted with exactly what is left on it, so all of the view's slice is spent: at the
// last step; where a noisy count is below `stop`; where a box is a single cell; where the boxes would be more than
// allowed.
#pragma once

#include <cstdint>
#include <vector>

#include "mechanism/tree_table.h"

namespace stopover {

struct CutStep {
  enum class Rule {
    middles,  // all axes halved at once
    middle,   // one axis halved
    median,   // one axis, a private median: selection by Score::balance
    search,   // one axis, a private search for the most homogeneous cut (see grow_by_steps)
  };
  Rule rule;
  std::size_t axis;  // of the last three; where it has one cell left, the next axis that has more stands in
  Ticks choice;      // what finding the cut may cost; with 0 it is the middle
  Ticks count;       // what counting the children may cost; with 0 they are not counted (but at the last step)
};

struct StepLimits {
  double stop;                   // boxes of a smaller noisy count are not divided
  double max_partitions;         // no step is begun that would lead to more boxes
  std::uint32_t max_cuts = 256;  // candidates for a median: all places to cut, or so many at even distances
};

// A search looks at the middle of its range and of both halves, and goes on in the best one: so many times.
inline constexpr int kSearchRounds = 3;

// REQUIRES: `root` is the tree's root family, counted as row 0, with something left.
void grow_by_steps(Kernel& kernel, TreeTable& tree, Family root, double root_count, const std::vector<CutStep>& steps,
                   const StepLimits& limits);

}  // namespace stopover
