// QuestionDoubts: what the interval of an answer depends on besides what a walk over the index adds up.
//
// Of a box, of regions at stops, or of a sum of regions: then what is least sure among those that are counted in.
#pragma once

#include <array>

#include "query/belief.h"
#include "query/box_index.h"
#include "query/box_query.h"
#include "query/coverage_claim.h"
#include "query/region_query.h"
#include "query/selection.h"

namespace stopover {

struct QuestionDoubts {
  double totals = 0;    // about totals along axes (belief.h), summed over axes
  // What was counted of the zones of both axes, of one box; otherwise nothing.
  std::array<KnownTotal, 2> known{};
  double edge = 0;      // about cells that edges cut (edge_doubt.h), summed over stops
  QuestionShape shape;  // what a claim depends on
};

QuestionDoubts doubts_of(const BoxIndex& index, const BoxQuery& box);
QuestionDoubts doubts_of(const BoxIndex& index, const RegionQuery& query);
QuestionDoubts doubts_of(const BoxIndex& index, const Selection& selection);

}  // namespace stopover
