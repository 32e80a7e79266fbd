#include "query/coverage_claim.h"

#include <algorithm>
#include <cstddef>

namespace stopover {
namespace {

constexpr double kOneStop = 25'000, kTwoStops = 40'000;  // trips x epsilon

// A bare matrix's axes are numbers: places, for all that is known.
bool tells_where(const Axis& axis) {
  return axis.on_map() || axis.kind == AxisKind::number;
}

// Measured between zones, and where a leaf's own count decides (docs/internals/zones.md).
CoverageClaim claim_of_beliefs(const Release& release) {
  if (release.domain.d() > 2) return {false, "more than two axes of zones"};
  return {true, {}};
}

}  // namespace

CoverageClaim coverage_claim(const Release& release) {
  if (!release.has_likely_intervals()) return {false, "the release has no likely intervals"};
  if (!release.tables[0].spread.empty()) return claim_of_beliefs(release);
  const std::size_t stops = release.tables.size() == 1 ? 1 : release.tables.size() - 1;
  const std::vector<Axis>& axes = release.domain.axes();
  if (axes.size() != 2 * stops || !std::all_of(axes.begin(), axes.end(), tells_where))
    return {false, "axes other than places"};
  if (stops > 2) return {false, "three stops or more"};
  const double strength = release.tables[0].estimate[0] * release.rate(release.spent);
  if (strength < (stops == 1 ? kOneStop : kTwoStops)) return {false, "too few trips for this epsilon"};
  return {true, {}};
}

}  // namespace stopover
