#include "query/coverage_claim.h"

#include <algorithm>
#include <cstddef>

namespace stopover {
namespace {

constexpr double kOneStop = 25'000, kOneStopSmall = 100'000;  // trips x epsilon
constexpr double kProbes = 1'000, kProbesOfSmall = 2'500;    // trips x the probes' epsilon
constexpr double kProbesOfEnds = 5'000;
constexpr double kZones = 1'500;  // trips x epsilon
constexpr std::size_t kMostStops = 3;  // that were measured
constexpr std::string_view kTooFew = "too few trips for this epsilon", kVerySmall = "a very small place";
constexpr std::string_view kOtherScale = "its probes are of a scale that this version does not read";
constexpr double kLeastShare = 1e-4;  // of a map

// A bare matrix's axes are numbers: places, for all that is known.
bool tells_where(const Axis& axis) { return axis.on_map() || axis.kind == AxisKind::number; }

// Measured between zones, and where a leaf's own count decides (docs/internals/zones.md).
CoverageClaim claim_of_beliefs(const Release& release) {
  if (release.domain.d() > 2) return {false, "more than two axes of zones"};
  if (release.tables[0].estimate[0] * release.rate(release.spent) < kZones) return {false, kTooFew};
  return {true, {}};
}

}  // namespace

CoverageClaim coverage_claim(const Release& release) {
  if (release.has_unread_probes()) return {false, kOtherScale};
  if (!release.has_likely_intervals()) return {false, "the release has no likely intervals"};
  if (!release.tables[0].spread.empty()) return claim_of_beliefs(release);
  const std::size_t stops = release.tables.size() == 1 ? 1 : release.tables.size() - 1;
  const std::vector<double>& trips = release.tables[0].estimate;
  const double strength =
      trips.empty() ? 0 : trips[0] * release.rate(release.probes ? release.probes->ticks : release.spent);
  const auto unclaimed = [&](std::string_view why) { return CoverageClaim{false, why, strength, stops}; };
  const std::vector<Axis>& axes = release.domain.axes();
  if (axes.size() != 2 * stops || !std::all_of(axes.begin(), axes.end(), tells_where))
    return unclaimed("axes other than places");
  if (stops > kMostStops) return unclaimed("four stops or more");
  if (stops > 1 && !release.probes) return unclaimed("two stops or more, and no probes");
  if (strength < (release.probes ? kProbes : kOneStop)) return unclaimed(kTooFew);
  return {true, {}, strength, stops};
}

std::string_view CoverageClaim::unclaimed(const QuestionShape& shape) const {
  if (!made) return why_not;
  // All trips, or nothing asked of any place: no leaf is cut.
  if (shape.free_stops >= stops) return {};
  const double least = stops == 1 ? kOneStopSmall : kProbesOfSmall;
  return shape.least_share < kLeastShare && strength < least ? kVerySmall : std::string_view{};
}

bool CoverageClaim::ends_hold() const { return made && (stops <= 1 || strength >= kProbesOfEnds); }

}  // namespace stopover
