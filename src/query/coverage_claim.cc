#include "query/coverage_claim.h"

#include <cstddef>

namespace stopover {
namespace {

constexpr double kOneStop = 100'000, kTwoStops = 40'000;  // trips x epsilon

}  // namespace

CoverageClaim coverage_claim(const Release& release) {
  if (!release.calibration) return {false, "the release learned no intervals"};
  const std::size_t stops = release.tables.size() == 1 ? 1 : release.tables.size() - 1;
  if (release.domain.d() != 2 * stops) return {false, "axes other than places"};
  if (stops > 2) return {false, "three stops or more"};
  const double strength = release.tables[0].estimate[0] * release.rate(release.spent);
  if (strength < (stops == 1 ? kOneStop : kTwoStops)) return {false, "too few trips for this epsilon"};
  return {true, {}};
}

}  // namespace stopover
