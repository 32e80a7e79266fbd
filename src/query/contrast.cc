#include "query/contrast.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stopover {

ContrastPart::ContrastPart(double of, const Answer& counted, double safe_level) : coefficient(of), answer(counted) {
  const PlacementBounds safe = placement_bounds(counted.placement, noise_reach(safe_level));
  bounds_lower = std::min(counted.bounds_lower, std::max(0.0, safe.lower));
  bounds_upper = std::max(counted.bounds_upper, safe.upper);
}

Contrast contrast(std::span<const ContrastPart> parts) {
  Contrast sum;
  double up = 0, down = 0;  // squares
  for (const ContrastPart& part : parts) {
    const double c = part.coefficient;
    const Answer& a = part.answer;
    if (c == 0 || part.empty()) continue;
    sum.estimate += c * a.estimate;
    // A count that is larger by u moves the sum up by c u if c > 0; if c < 0, one that is smaller does.
    const double above = c > 0 ? c * (a.upper_alone() - a.estimate) : -c * (a.estimate - a.lower);
    const double below = c > 0 ? c * (a.estimate - a.lower) : -c * (a.upper_alone() - a.estimate);
    up += above * above;
    down += below * below;
    sum.bounds_lower += c * (c > 0 ? part.bounds_lower : part.bounds_upper);
    sum.bounds_upper += c * (c > 0 ? part.bounds_upper : part.bounds_lower);
    sum.calibrated = sum.calibrated && a.calibrated;
  }
  sum.lower = std::max(sum.estimate - std::sqrt(down), sum.bounds_lower);
  sum.upper = std::min(sum.estimate + std::sqrt(up), sum.bounds_upper);
  if (!sum.calibrated) {
    sum.lower = sum.bounds_lower;
    sum.upper = sum.bounds_upper;
  }
  return sum;
}

namespace {

// The p in [0, 1] where `positive(p)` turns false. It is true up to there: the upper end of a contrast is convex in p
// and the lower end concave, both begin at 0 or above and end at 0 or below.
template <typename Positive>
double turning_point(const Positive& positive) {
  double lo = 0, hi = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (lo + hi) / 2;
    (positive(middle) ? lo : hi) = middle;
  }
  return (lo + hi) / 2;
}

// A bisection ends beside 0 or 1, never on them.
void settle(ShareRange& range) {
  for (double* end : {&range.lower, &range.upper, &range.bounds_lower, &range.bounds_upper}) {
    if (*end < 1e-15) *end = 0;
    if (*end > 1 - 1e-15) *end = 1;
  }
}

ContrastPart times(double coefficient, ContrastPart part) {
  part.coefficient = coefficient;
  return part;
}

}  // namespace

ShareRange share_range(const ContrastPart& a, const ContrastPart& b, const ContrastPart& common) {
  const auto at = [&](double p) {
    const std::array parts = {times(1 - p, a), times(-p, b), times(1 - 2 * p, common)};
    return contrast(parts);
  };
  ShareRange range;
  range.lower = turning_point([&](double p) { return at(p).lower > 0; });
  range.upper = turning_point([&](double p) { return at(p).upper >= 0; });
  range.bounds_lower = turning_point([&](double p) { return at(p).bounds_lower > 0; });
  range.bounds_upper = turning_point([&](double p) { return at(p).bounds_upper >= 0; });
  settle(range);
  return range;
}

ShareRange part_range(const ContrastPart& part, const ContrastPart& rest, const ContrastPart& whole) {
  const auto of_whole = [&](double p) {
    const std::array parts = {times(1, part), times(-p, whole)};
    return contrast(parts);
  };
  // Half widths added up: the ends of (1 - p) P - p R where both are as far off as they may be.
  const auto lowest = [&](double p) { return (1 - p) * part.answer.lower - p * rest.answer.upper; };
  const auto highest = [&](double p) { return (1 - p) * part.answer.upper - p * rest.answer.lower; };
  ShareRange range;
  range.lower = turning_point([&](double p) { return of_whole(p).lower > 0 || lowest(p) > 0; });
  range.upper = turning_point([&](double p) { return of_whole(p).upper >= 0 && highest(p) >= 0; });
  range.bounds_lower = turning_point([&](double p) { return (1 - p) * part.bounds_lower > p * rest.bounds_upper; });
  range.bounds_upper = turning_point([&](double p) { return (1 - p) * part.bounds_upper >= p * rest.bounds_lower; });
  settle(range);
  return range;
}

}  // namespace stopover
