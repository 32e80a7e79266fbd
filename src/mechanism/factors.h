// Factors: the groups of axes that `anchor` gives a map of their own.
//
// A stop's map is two axes (where), so: a stop of one or two axes is a factor; of a stop with more, its longitude and
// latitude (or else its first two axes) are one factor and every other axis (hour, purpose) one each. On a bare matrix,
// where every stop is one axis of kind number, neighbouring axes are paired: a0 with a1, a2 with a3, the last alone if
// odd.
#pragma once

#include <cstddef>
#include <vector>

#include "domain/domain.h"

namespace stopover {

using Factor = std::vector<std::size_t>;  // one or two axes, ascending

std::vector<Factor> factors_of(const Domain& domain);

// Numbers of factors that share one geography (two axes, equal cells, kinds and bounds) and can be mapped together.
// Every factor is in exactly one group; groups ascend by their first factor.
std::vector<std::vector<std::size_t>> shared_maps(const Domain& domain, const std::vector<Factor>& factors);

}  // namespace stopover
