#include "query/normal.h"

#include <cmath>

#include "base/check.h"
#include "base/portable_math.h"

namespace stopover {
namespace {

constexpr double kPi = 3.14159265358979323846;

// erf(z/sqrt 2) = sqrt(2/pi) exp(-z^2/2) (z + z^3/3 + z^5/(3*5) + ...): all terms positive.
double normal_within(double z) {
  double term = z, sum = z;
  for (int odd = 3; term > 1e-18 * sum; odd += 2) {
    term *= z * z / odd;
    sum += term;
  }
  return std::sqrt(2 / kPi) * portable_exp(-z * z / 2) * sum;
}

}  // namespace

double normal_half_width(double level) {
  STOPOVER_CHECK(level > 0 && level < 1, "a level must be above 0 and below 1");
  double lo = 0, hi = 9;
  for (int i = 0; i < 60; ++i) {
    const double mid = (lo + hi) / 2;
    (normal_within(mid) < level ? lo : hi) = mid;
  }
  return (lo + hi) / 2;
}

}  // namespace stopover
