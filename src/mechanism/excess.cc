#include "mechanism/excess.h"

#include <algorithm>
#include <cmath>

namespace stopover::excess {
namespace {

constexpr double kLeastCoarse = 0.1, kMostCoarse = 0.35;  // of what is left
constexpr double kCoarseStep = 0.02;                      // few different prices, so that receipts stay short
constexpr double kLeastTold = 2, kSteep = 1.5;
constexpr double kTripsAPart = 6;  // of a, where the excess may be spread over all parts: as a leaf's weight

}  // namespace

bool stands_out(double x, double e, double siblings, const Rules& rules) {
  // The largest of B Laplace variables of scale 1/e passes (ln B + t)/e with a probability of about exp(-t)/2.
  return x * e > std::log(siblings) + rules.beyond;
}

double parts_wanted(double a, const Rules& rules) {
  if (a < rules.least) return 1;
  // As many as the largest coarse count can tell apart: steep ln parts + kLeastTold = kMostCoarse a.
  const double told = std::exp((kMostCoarse * a - kLeastTold) / rules.steep);
  return std::min(static_cast<double>(rules.most_parts), std::max(a / kTripsAPart, told));
}

bool is_placed(double a, std::span<const double> shares, const Rules& rules) {
  double together = 0;
  for (double share : shares) together += share * share;
  // If all of the excess lay in one part while the base spreads it by its shares, counts bought with what is left would
  // be off by a^2 sum (own - share)^2 squared units of noise, on average a^2 (1 - sum of squares).
  return a * a * (1 - together) < rules.unplaced;
}

double coarse_share(double a, std::size_t parts) {
  // What has to show of an excess that lies in one of B parts: more than the largest noise of the others (about ln B of
  // its units), with room for its own. That over a, of r, makes x times the coarse rate so much.
  const double share = (kSteep * std::log(static_cast<double>(parts)) + kLeastTold) / a;
  return std::clamp(std::round(share / kCoarseStep) * kCoarseStep, kLeastCoarse, kMostCoarse);
}

}  // namespace stopover::excess
