#include "plan/bound_forecast.h"

#include <cmath>

namespace stopover {

// P(a person has at least j trips) = q^(j - 1), q = 1 - 1/mean. The mean number of the first k is the sum over j = 1 ..
// k, mean (1 - q^k); over `mean` it is the share.
double kept_share(double mean, std::uint32_t k) { return 1 - std::pow(1 - 1 / mean, k); }

std::vector<std::uint32_t> bounds_to_try(double mean) {
  std::vector<std::uint32_t> bounds = {1};
  // Doubling: a few rows are enough to choose from.
  while (bounds.back() < 4096 && kept_share(mean, bounds.back()) < 0.99) bounds.push_back(2 * bounds.back());
  return bounds;
}

// Trips that are dropped are missed wholly, the others by the answer's error.
double whole_error(double kept, double answer_error) { return 1 - kept + kept * answer_error; }

// The mean of |X| is about the scale for Laplace noise, here over a hundredth of the trips.
double hundredth_error(double trips, double noise_scale) { return noise_scale / (trips / 100); }

void recommend(std::vector<BoundRow>& rows) {
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t best = first, next = first;
    for (; next < rows.size() && rows[next].epsilon == rows[first].epsilon; ++next) {
      // Strictly less: of equal ones the first stays, which has the smaller k.
      if (rows[next].error < rows[best].error) best = next;
    }
    rows[best].recommended = true;
    first = next;
  }
}

}  // namespace stopover
