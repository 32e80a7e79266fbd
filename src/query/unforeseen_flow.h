// UnforeseenFlow: how many trips a single flow that nobody foresaw must have for a release to show it.
//
// No private release can show one of fewer than ln(M/2)/epsilon trips half of the time, M the number of cells: it would
// show as many in cells where nothing is. `anchor` shows one of 4 times as many, `multigrid` one of 3, more often than
// not (docs/internals/limits.md, measured). A smaller one may lie unseen in any box, and no likely interval there
// reaches to it: it would have to reach everywhere. From public numbers alone.
#pragma once

#include <cstddef>

#include "domain/domain.h"

namespace stopover {

// Trips. `rate`: epsilon of a trip (of a user's by the most trips of one). REQUIRES: rate > 0; a release of `anchor` or
// `multigrid`.
double unforeseen_flow(const Domain& domain, std::size_t stops, double rate);

}  // namespace stopover
