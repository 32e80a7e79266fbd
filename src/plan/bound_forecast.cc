#include "plan/bound_forecast.h"

#include <cmath>

namespace stopover {

double kept_share(double mean, std::uint32_t k) { return 1 - std::pow(1 - 1 / mean, k); }

std::vector<std::uint32_t> bounds_to_try(double mean) {
  std::vector<std::uint32_t> bounds = {1};
  while (bounds.back() < 4096 && kept_share(mean, bounds.back()) < 0.99) bounds.push_back(2 * bounds.back());
  return bounds;
}

double whole_error(double kept, double answer_error) { return 1 - kept + kept * answer_error; }

double hundredth_error(double trips, double noise_scale) { return noise_scale / (trips / 100); }

void recommend(std::vector<BoundRow>& rows) {
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t best = first, next = first;
    for (; next < rows.size() && rows[next].epsilon == rows[first].epsilon; ++next) {
      if (rows[next].error < rows[best].error) best = next;
    }
    rows[best].recommended = true;
    first = next;
  }
}

}  // namespace stopover
