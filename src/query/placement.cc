#include "query/placement.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/portable_math.h"

namespace stopover {
namespace {

constexpr double kPi = 3.14159265358979323846;

// P(|normal| <= z): sqrt(2/pi) exp(-z^2/2) (z + z^3/3 + z^5/(3*5) + ...).
double normal_within(double z) {
  double term = z, sum = z;
  for (int odd = 3; term > 1e-18 * sum; odd += 2) {
    term *= z * z / odd;
    sum += term;
  }
  return std::sqrt(2 / kPi) * portable_exp(-z * z / 2) * sum;
}

// Counts are whole: half a step besides the standard deviations.
double off(double variance, double reach) { return variance > 0 ? reach * std::sqrt(variance) + 0.5 : 0; }

}  // namespace

double noise_reach(double level) {
  STOPOVER_CHECK(level > 0 && level < 1, "a level must be above 0 and below 1");
  double lo = 0, hi = 9;
  for (int i = 0; i < 60; ++i) {
    const double mid = (lo + hi) / 2;
    (normal_within(mid) < level ? lo : hi) = mid;
  }
  return std::max(hi, -portable_log(1 - level) / std::sqrt(2.0));
}

PlacementBounds placement_bounds(const Placement& placement, double reach) {
  const double lower = placement.inside - off(placement.inside_variance, reach);
  const double upper =
      placement.inside + placement.cut + off(placement.inside_variance + placement.cut_variance, reach);
  return {std::max(0.0, lower), std::max(0.0, upper)};
}

}  // namespace stopover
