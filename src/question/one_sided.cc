#include "question/one_sided.h"

#include <algorithm>

namespace stopover {
namespace {

// Levels between which one looks: nothing is told beyond 99.95 %.
constexpr double kLeast = 1e-3, kMost = 0.999;
// Of likely intervals whose ends are claimed: where either was measured to hold by itself, from 95 % on
// (docs/internals/intervals.md).
constexpr double kLeastClaimed = 0.9 - 1e-9;

// An answer's two ends, and how often either holds by itself.
struct Sides {
  double lower, upper;
  bool halved;  // either misses half as often as both together
  bool claimed;
  double level;

  double holds() const { return halved ? (1 + level) / 2 : level; }
};

Sides sides_of(const Answer& a) {
  // Nothing is cut: noise alone, which is symmetric.
  if (a.aligned && !a.calibrated) {
    return {std::max(a.noise_lower, a.bounds_lower), std::min(a.noise_upper, a.bounds_upper), true, true, a.level};
  }
  const bool claimed = a.claimed && (!a.calibrated || (a.ends_claimed && a.level > kLeastClaimed));
  return {a.lower, a.upper_alone(), a.calibrated, claimed, a.level};
}

// The highest level at which `apart` still holds; it holds at all lower ones. The least one where it never does.
template <typename Apart>
Sides farthest(const std::function<Sides(double)>& at, const Apart& apart) {
  if (const Sides all = at(kMost); apart(all)) return all;
  double lo = kLeast, hi = kMost;
  for (int i = 0; i < 24; ++i) {
    const double middle = (lo + hi) / 2;
    (apart(at(middle)) ? lo : hi) = middle;
  }
  return at(lo);
}

OneSided::Above above_of(double value, bool more, const std::function<Sides(double)>& at) {
  const Sides end = farthest(at, [&](const Sides& s) { return more ? s.lower > value : s.upper <= value; });
  OneSided::Above above{value, std::nullopt, end.claimed};
  // Bounds that never come apart from the value say nothing of it.
  if (end.halved || end.level > kLeast) above.probability = more ? end.holds() : 1 - end.holds();
  return above;
}

OneSided::End end_of(double sure, bool lower, const std::function<Sides(double)>& at) {
  Sides sides = at(sure);
  if (sides.halved) sides = at(std::clamp(2 * sure - 1, kLeast, kMost));
  return {lower ? sides.lower : sides.upper, sure, sides.claimed};
}

}  // namespace

OneSided one_sided(const Question& question, const std::function<Answer(double)>& at) {
  OneSided asked;
  const auto sides = [&](double level) { return sides_of(at(level)); };
  if (question.above) asked.above = above_of(*question.above, at(kLeast).estimate > *question.above, sides);
  if (question.at_least) asked.at_least = end_of(question.level, true, sides);
  if (question.at_most) asked.at_most = end_of(question.level, false, sides);
  return asked;
}

}  // namespace stopover
