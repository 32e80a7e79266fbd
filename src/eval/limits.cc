#include "eval/limits.h"

#include <algorithm>
#include <cmath>

namespace stopover {

double cell_count(const Domain& domain) {
  double cells = 1;
  const Box whole = domain.whole();
  for (std::size_t axis = 0; axis < whole.axes(); ++axis) cells *= whole[axis].width();
  return cells;
}

double needle_limit(const Domain& domain, double epsilon, double k) {
  return std::max(0.0, std::log(cell_count(domain) / 2)) * k / epsilon;
}

// Discrete Laplace noise has P(x) = (1 - a)/(1 + a) a^|x| with a = exp(-epsilon); the mean of |x| is
// 2 a/(1 - a^2) = 2/(1/a - a) = 1/sinh(epsilon).
double count_floor(double epsilon, double k) { return k / std::sinh(epsilon); }

// Were all ranges within T/2 more often than not, the cell with a needle of T trips could be named: it is the only one
// whose count reaches T/2. The places named are disjoint events, so the sum of their probabilities over M cells, each
// at least exp(-epsilon T)/2 on the data without a needle, is at most 1: T is at least ln(M/2)/epsilon.
double ranges_floor(const Domain& domain, double epsilon, double k) { return needle_limit(domain, epsilon, k) / 2; }

}  // namespace stopover
