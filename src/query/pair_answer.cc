#include "query/pair_answer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "query/answerer.h"
#include "query/contrast.h"
#include "query/placement.h"

namespace stopover {
namespace {

// The level of each, for so many parts' bounds to hold together.
double safe_level(AnswerOptions options, std::uint64_t parts) {
  options.together *= parts;
  return options.each_level();
}

// Of two releases, in which errors beyond noise hang together: what they have in common cancels.
Contrast closer(Contrast by, const Answer& first, const Answer& second, double in_common) {
  if (!by.calibrated || in_common <= 0) return by;
  const auto square = [](double x) { return x * x; };
  const auto beyond = [&](const Answer& a, double half) {
    return std::sqrt(std::max(0.0, square(half) - square((a.noise_upper - a.noise_lower) / 2)));
  };
  const auto side = [&](double u, double v) {
    return std::sqrt(std::max(0.0, square(u) + square(v) - 2 * in_common * beyond(first, u) * beyond(second, v)));
  };
  const double up = side(first.upper_alone() - first.estimate, second.estimate - second.lower);
  const double down = side(first.estimate - first.lower, second.upper_alone() - second.estimate);
  by.lower = std::max(by.lower, by.estimate - down);
  by.upper = std::min(by.upper, by.estimate + up);
  return by;
}

// The difference by its contrast, about a noise that reaches so far.
Answer difference_of(const Contrast& by, const Answer& first, const Answer& second, double variance,
                     double half_width) {
  Answer d;
  d.level = first.level;
  d.estimate = by.estimate;
  d.unprojected = first.unprojected - second.unprojected;
  d.noise_variance = variance;
  d.noise_lower = d.unprojected - half_width;
  d.noise_upper = d.unprojected + half_width;
  d.bounds_lower = std::min({by.bounds_lower, d.estimate, d.noise_lower});
  d.bounds_upper = std::max({by.bounds_upper, d.estimate, d.noise_upper});
  d.calibrated = by.calibrated;
  d.lower = by.calibrated ? by.lower : d.bounds_lower;
  d.upper = by.calibrated ? by.upper : d.bounds_upper;
  d.claimed = !by.calibrated || (first.claimed && second.claimed);
  d.ends_claimed = d.claimed && (!by.calibrated || (first.ends_claimed && second.ends_claimed));
  return d;
}

// How far this noise reaches, and its variance. A weight's sign does not matter: noise is symmetric.
std::pair<double, double> reach_of(NoiseList noise, double level) {
  double variance = noise.rest.noise.second;
  for (NoiseTerm& term : noise.terms) {
    term.weight = std::abs(term.weight);
    variance += term.weight * term.weight * term.variance * static_cast<double>(term.times);
  }
  if (!(variance > 0)) return {0, 0};
  return {NoiseInterval(level).half_width(noise.terms, noise.rest), variance};
}

CountRatio ratio_of(const Answer& first, const Answer& second, const Answer& difference, const ShareRange& range,
                    bool is_part) {
  CountRatio ratio;
  ratio.level = first.level;
  ratio.claimed = difference.claimed;
  if (second.estimate > 0) ratio.value = std::max(0.0, first.estimate) / second.estimate;
  const double lower = difference.calibrated ? range.lower : range.bounds_lower,
               upper = difference.calibrated ? range.upper : range.bounds_upper;
  if (is_part) {
    ratio.lower = lower;
    ratio.upper = upper;
  } else {
    // p of a share range is r/(1 + r).
    ratio.lower = lower < 1 ? lower / (1 - lower) : ratio.value.value_or(0);
    if (upper < 1) ratio.upper = upper / (1 - upper);
  }
  // A bisection ends beside the point that it looks for.
  if (ratio.value) {
    ratio.lower = std::min(ratio.lower, *ratio.value);
    if (ratio.upper) ratio.upper = std::max(*ratio.upper, *ratio.value);
  }
  return ratio;
}

}  // namespace

PairAnswer answer_pair(const BoxIndex& index, const SelectionPair& pair, const AnswerOptions& options) {
  Answerer ask(index, options);
  PairAnswer made{ask(pair.first), ask(pair.second), {}, {}};
  const double safe = safe_level(options, 3);
  const ContrastPart first(1, ask(pair.first.less(pair.both)), safe);
  const ContrastPart second(-1, ask(pair.second.less(pair.both)), safe);
  const ContrastPart both(0, ask(pair.both), safe);
  const ContrastPart parts[] = {first, second};
  const auto [half, variance] = reach_of(ask.noise(pair.first.less(pair.second)), options.each_level());
  made.difference = difference_of(contrast(parts), made.first, made.second, variance, half);
  made.difference.partitions_cut = first.answer.partitions_cut + second.answer.partitions_cut;
  made.difference.aligned = made.difference.partitions_cut == 0;
  // Nobody is in the first alone: it is a part of the second.
  const bool is_part = first.empty();
  made.ratio = ratio_of(
      made.first, made.second, made.difference,
      is_part ? part_range(both, second, ContrastPart(1, made.second, safe)) : share_range(first, second, both),
      is_part);
  return made;
}

PairAnswer answer_pair(const BoxIndex& index, const Selection& first, const BoxIndex& other, const Selection& second,
                       const AnswerOptions& options) {
  Answerer ask(index, options), ask_other(other, options);
  PairAnswer made{ask(first), ask_other(second), {}, {}};
  const double safe = safe_level(options, 2);
  const ContrastPart parts[] = {{1, made.first, safe}, {-1, made.second, safe}};
  NoiseList noise = ask.noise(first);
  const NoiseList more = ask_other.noise(second);
  noise.terms.insert(noise.terms.end(), more.terms.begin(), more.terms.end());
  noise.rest = {{noise.rest.noise.second + more.rest.noise.second, noise.rest.noise.fourth + more.rest.noise.fourth},
                std::max(noise.rest.step, more.rest.step)};
  const auto [half, variance] = reach_of(std::move(noise), options.each_level());
  made.difference = difference_of(closer(contrast(parts), made.first, made.second, options.in_common), made.first,
                                  made.second, variance, half);
  made.difference.partitions_cut = made.first.partitions_cut + made.second.partitions_cut;
  made.difference.aligned = made.difference.partitions_cut == 0;
  made.ratio = ratio_of(made.first, made.second, made.difference, share_range(parts[0], parts[1]), false);
  return made;
}

Answer quick_difference(const Answer& first, const Answer& second, const AnswerOptions& options) {
  const double safe = safe_level(options, 2);
  const ContrastPart parts[] = {{1, first, safe}, {-1, second, safe}};
  const double variance = first.noise_variance + second.noise_variance;
  // Steps of either are 1 at most.
  const double half = variance > 0 ? noise_reach(options.each_level()) * std::sqrt(variance) + 0.5 : 0;
  Answer d = difference_of(closer(contrast(parts), first, second, options.in_common), first, second, variance, half);
  d.partitions_cut = first.partitions_cut + second.partitions_cut;
  d.aligned = d.partitions_cut == 0;
  return d;
}

}  // namespace stopover
