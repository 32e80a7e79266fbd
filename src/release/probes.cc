#include "release/probes.h"

#include <algorithm>
#include <cmath>

namespace stopover {
namespace {

Error broken(const char* what) { return {Failure::check_failed, std::string("the probes ") + what}; }

bool all_finite(const std::vector<double>& values, double least) {
  for (double value : values) {
    if (!std::isfinite(value) || value < least) return false;
  }
  return true;
}

}  // namespace

Status check_probes(const Probes& probes) {
  constexpr std::size_t kCells = Probes::kGroups * Probes::kClasses;
  if (probes.ticks == 0 || probes.lattices == 0) return broken("were paid with nothing, or had no lattice");
  if (probes.counts.size() != Probes::kEntries) return broken("do not have a count per group, class and band");
  if (probes.scales.size() != kCells || probes.squares.size() != kCells || probes.signals.size() != kCells ||
      probes.whole.size() != kCells * Probes::kBelow.size()) {
    return broken("do not have their sums per group and class");
  }
  for (const auto* sums : {&probes.scales, &probes.squares, &probes.signals, &probes.whole}) {
    if (!all_finite(*sums, 0)) return broken("have a sum that is not finite, or below 0");
  }
  if (probes.tails.empty() || probes.tails.front() > 0.5 || !(probes.tails.back() > 0)) {
    return broken("have tails that are not above 0 and at most 1/2");
  }
  for (std::size_t i = 1; i < probes.tails.size(); ++i) {
    if (!(probes.tails[i] < probes.tails[i - 1])) return broken("have tails that do not fall");
  }
  for (const auto* ends : {&probes.below, &probes.above}) {
    if (ends->size() != kCells * probes.tails.size()) return broken("do not have a distance per class and tail");
    if (!all_finite(*ends, 1e-6)) return broken("have a distance that is not above 0");
  }
  if (probes.missed_above.empty() && probes.missed_below.empty()) return {};
  if (probes.missed_above.size() != kCells * Probes::kAbove.size() ||
      probes.missed_below.size() != kCells * Probes::kBelow.size()) {
    return broken("do not certify every group, class and edge");
  }
  for (const auto* shares : {&probes.missed_above, &probes.missed_below}) {
    if (!all_finite(*shares, 0) || *std::max_element(shares->begin(), shares->end()) > 1) {
      return broken("certify a share that is not from 0 to 1");
    }
  }
  return {};
}

}  // namespace stopover
