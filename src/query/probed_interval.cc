#include "query/probed_interval.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/portable_math.h"
#include "query/at_tail.h"
#include "query/normal.h"

namespace stopover {
namespace {

// Margins per class of signal.
using Margins = std::array<double, Probes::kClasses>;
struct Sides {
  Margins above, below;
};

// By stops left free: none, one, more. How they were set: docs/internals/intervals.md.
constexpr std::array<Sides, 3> kOfTwo = {
    Sides{{1.25, 1.25, 1.25, 1, 1, 1.25, 1.15}, {1.15, 1.15, 1.15, 1.15, 1.15, 1.25, 1.15}},
    Sides{{1.8, 1.8, 1.8, 1.1, 1.1, 1.15, 1}, {1.25, 1.25, 1.25, 1.25, 1.25, 1.5, 1.4}},
    Sides{{1.8, 1.8, 1.8, 1.1, 1.1, 1.15, 1}, {1.25, 1.25, 1.25, 1.25, 1.25, 1.5, 1.4}}};
constexpr std::array<Sides, 3> kOfMore = {
    Sides{{1.5, 1.5, 1.5, 1.2, 1.2, 1.6, 1.4}, {1, 1, 1, 1, 1, 1, 1}},
    Sides{{1.4, 1.4, 1.4, 1.4, 1.4, 1.8, 1.4}, {1.05, 1.05, 1.05, 1.05, 1.05, 1, 0.9}},
    Sides{{1.4, 1.4, 1.4, 1, 1, 1, 0.8}, {1.2, 1.2, 1.2, 1.2, 1.2, 2.2, 2.2}}};

// Of three stops and more, above boxes at all of them, where trips x the probes' epsilon are fewer than kFew.
constexpr double kFew = 5'000, kOfFew = 1.15;

// Above boxes at all stops, of signals below 1: where the law found there is short, it is still too long, for its
// belief beforehand has to do for the longest. With d the distance of kShortTail after all margins, in scales, and
// d < reach, distances are (d/reach)^power of these; so they stay in order, and long laws as they are.
struct Short {
  double reach, power;
};
constexpr double kShortTail = 0.025;
constexpr std::array<Short, 3> kShortOfTwo = {Short{4, 0.35}, Short{2.5, 0.5}, Short{1.6, 0.5}};
constexpr std::array<Short, 3> kShortOfMore = {Short{5.5, 0.75}, Short{5, 0.75}, Short{4, 0.33}};

// Below boxes at all of three stops and more, distances are up to kBelowLarge times as far where the largest part that
// is asked of a map is more than kLarge; all of it from kWhollyLarge on, between them by its logarithm.
constexpr double kLarge = 0.04, kWhollyLarge = 0.1, kBelowLarge = 1.5;

double below_large(double most_share) {
  const double part = portable_log(std::max(most_share, kLarge) / kLarge) / portable_log(kWhollyLarge / kLarge);
  return portable_exp(std::min(part, 1.0) * portable_log(kBelowLarge));
}

}  // namespace

double probe_centre(const Answer& answer) { return 0.25 * answer.estimate + 0.75 * answer.unprojected; }

double probe_scale(const Answer& answer) {
  const Placement& p = answer.placement;
  const double gap = answer.estimate - answer.unprojected;
  return std::sqrt(1 + 2 * std::max(0.0, answer.noise_variance) + 2 * std::max(0.0, p.clump) +
                   0.05 * std::max(0.0, p.cut_variance) + gap * gap + 2 * p.edge);
}

double probe_signal(const Answer& answer, double scale) { return std::max(0.0, answer.estimate) / scale; }

ProbedInterval::ProbedInterval(const Probes& probes, double level, std::size_t stops, double strength)
    : stops_(stops), noise_reach_(normal_half_width(level)) {
  STOPOVER_CHECK(level > 0 && level < 1, "a level must be above 0 and below 1");
  const double p = (1 - level) / 2;
  const std::size_t tails = probes.tails.size();
  for (std::size_t free = 0; free < kFree; ++free) {
    const Sides& margins = (stops > 2 ? kOfMore : kOfTwo)[free];
    const double few = stops > 2 && free == 0 && strength < kFew ? kOfFew : 1;
    for (std::size_t c = 0; c < Probes::kClasses; ++c) {
      const std::size_t at = Probes::cell(free > 0 ? 1 : 0, c) * tails;
      const auto log_of = [&](const std::vector<double>& table, double tail, double margin) {
        const double far = at_tail(probes.tails, table.data() + at, tail);
        return portable_log(std::max(1e-6, stops < 2 ? far : far * margin));
      };
      const double above = few * margins.above[c];
      double nearer = 0;
      if (stops > 1 && free == 0 && c < kShortOfTwo.size()) {
        const Short& of = (stops > 2 ? kShortOfMore : kShortOfTwo)[c];
        nearer = of.power * std::min(0.0, log_of(probes.above, kShortTail, above) - portable_log(of.reach));
      }
      rows_[free][c] = {log_of(probes.below, p, margins.below[c]), nearer + log_of(probes.above, p, above),
                        nearer + log_of(probes.above, 2 * p, above)};
    }
  }
}

PlacementBounds ProbedInterval::operator()(const Answer& answer, std::size_t free_stops, double most_share) const {
  const double scale = probe_scale(answer), centre = probe_centre(answer);
  const double signal = probe_signal(answer, scale);
  // Between two rows in logarithms; before the first and beyond the last as there.
  const auto& at = Probes::kReadAt;
  const auto& rows = rows_[std::min(free_stops, kFree - 1)];
  std::size_t row = 0;
  double part = 0;
  if (signal >= at.back()) {
    row = at.size() - 1;
  } else if (signal > at[0]) {
    while (signal >= at[row + 1]) ++row;
    part = portable_log(signal / at[row]) / portable_log(at[row + 1] / at[row]);
  }
  const auto distance = [&](double Row::* end) {
    const double from = rows[row].*end;
    return scale * portable_exp(part > 0 ? from + part * (rows[row + 1].*end - from) : from);
  };
  // What the noise alone does is known: the ends are never nearer than that.
  const double noise = noise_reach_ * std::sqrt(std::max(0.0, answer.noise_variance));
  // What was found and not placed may all lie in the box: of stops left free nobody asked how often.
  const auto up = [&](double Row::* end) {
    const double reach = std::max(noise, distance(end));
    return centre + (free_stops == 0 ? answer.placement.found.reach(reach) : reach);
  };
  const double large = stops_ > 2 && free_stops == 0 && most_share > kLarge ? below_large(most_share) : 1;
  const PlacementBounds both{centre - std::max(noise, large * distance(&Row::below)), up(&Row::above)};
  // Nothing is below 0: an interval that starts there may spend all of the chance to miss at its upper end.
  if (both.lower > 0) return both;
  return {0, up(&Row::above_zero)};
}

}  // namespace stopover
