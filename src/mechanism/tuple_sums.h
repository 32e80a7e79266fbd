// Moves what is believed of leaves to what was counted of sums of them: blocks, zones of every axis, all trips. For any
// number of axes: where there are three and more, pairs and tuples are not kept one by one.
//
// A leaf of several zones gives each its share of the leaf by the zones' totals. All zones of an axis are moved at
// once, so a step is as short as the zones' leaves have in common: the sum of v s over leaves, s the share, where one
// zone alone would have v s^2. Each turn is a pass over the leaves for every axis, whatever the leaves' widths.
#pragma once

#include <span>
#include <vector>

#include "mechanism/leaf_sum.h"
#include "mechanism/sum_constraint.h"
#include "release/release.h"

namespace stopover {

struct TupleSums {
  std::vector<SumConstraint> blocks;  // by block
  std::vector<std::size_t> block_of;  // by leaf
  std::vector<LeafSum> leaves;        // by leaf: itself
  std::vector<float> variance;        // of the leaves, as parts of sums
  SumConstraint all;
};

// Changes the estimates of the leaves, rows `first_leaf` and on of the joint table. REQUIRES: model's axes have masses.
void reconcile_tuples(const ZoneModel& model, Table& joint, std::size_t first_leaf, TupleSums sums);

}  // namespace stopover
