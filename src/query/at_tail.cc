#include "query/at_tail.h"

#include <cstddef>

#include "base/portable_math.h"

namespace stopover {

double at_tail(const std::vector<double>& tails, const double* values, double p) {
  const std::size_t n = tails.size();
  if (p >= tails[0] || n == 1) return values[0];
  std::size_t i = 1;
  // The first tail that is not above p; beyond the last one the last two are used.
  while (i + 1 < n && p < tails[i]) ++i;
  const double from = portable_log(tails[i - 1]), to = portable_log(tails[i]);
  return values[i - 1] + (values[i] - values[i - 1]) * (portable_log(p) - from) / (to - from);
}

}  // namespace stopover
