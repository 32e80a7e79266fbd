// SumConstraint: what was counted of a sum of values, and how values are moved towards it.
//
// Values e of variances v are moved to e + by * v. `moved` is what the constraint has moved them so far, so that turns
// of several constraints find the point nearest to all of them, each weighed by its variance.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "mechanism/zone_model.h"
#include "release/consistency.h"

namespace stopover {

struct SumConstraint {
  KnownValue counted;
  double looseness = 0;  // above 0: instead of a variance, as a share of the values' own
  double moved = 0;

  // `sum` and `variance`: of the values as they are; a variance that is larger makes steps shorter, no more.
  double step(double sum, double variance) {
    if (std::isinf(counted.variance)) return 0;  // it says nothing
    const double own = looseness > 0 ? looseness * variance : counted.variance;
    const double by = (counted.value - sum - moved * own) / (variance + own);
    moved += by;
    return by;
  }
};

// One for every count of a table.
inline std::vector<SumConstraint> constraints_of(const std::vector<std::int64_t>& counts, double rate) {
  std::vector<SumConstraint> constraints;
  for (std::int64_t count : counts) constraints.push_back({{static_cast<double>(count), noise_variance(rate)}});
  return constraints;
}

}  // namespace stopover
