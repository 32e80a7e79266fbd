#include "query/placement.h"

#include <algorithm>
#include <cmath>

#include "base/portable_math.h"
#include "query/normal.h"

namespace stopover {
namespace {

// Counts are whole: half a step besides the standard deviations.
double off(double variance, double reach) { return variance > 0 ? reach * std::sqrt(variance) + 0.5 : 0; }

}  // namespace

double noise_reach(double level) {
  return std::max(normal_half_width(level), -portable_log(1 - level) / std::sqrt(2.0));
}

PlacementBounds placement_bounds(const Placement& placement, double reach) {
  const double lower = placement.inside - off(placement.inside_variance, reach);
  const double upper =
      placement.inside + placement.cut + off(placement.inside_variance + placement.cut_variance, reach);
  return {std::max(0.0, lower), std::max(0.0, upper)};
}

}  // namespace stopover
