#include "release/calibration.h"

#include <cmath>
#include <string>

namespace stopover {
namespace {

Error bad(const std::string& what) { return {Failure::check_failed, "the calibration is broken: " + what}; }

}  // namespace

Status check_calibration(const Calibration& c) {
  constexpr std::size_t kMost = 64;
  if (c.draws == 0 || c.questions == 0) return bad("it says that it was learned from nothing");
  double sum = 0;
  for (double weight : c.weights) {
    if (!std::isfinite(weight) || weight < 0) return bad("a weight is negative or not finite");
    sum += weight;
  }
  if (!(sum > 0)) return bad("all weights are 0");
  if (c.tails.empty() || c.tails.size() > kMost || c.signals.empty() || c.signals.size() > kMost) {
    return bad("it needs 1 to 64 rows and tails");
  }
  if (c.below.size() != c.tails.size() * c.signals.size() || c.above.size() != c.below.size()) {
    return bad("a row does not have one entry a tail");
  }
  for (std::size_t i = 0; i < c.tails.size(); ++i) {
    if (!(c.tails[i] > 0 && c.tails[i] <= 0.5) || (i > 0 && c.tails[i] >= c.tails[i - 1])) {
      return bad("tails must descend from at most 1/2 and stay above 0");
    }
  }
  for (std::size_t i = 0; i < c.signals.size(); ++i) {
    if (!std::isfinite(c.signals[i]) || (i > 0 && c.signals[i] <= c.signals[i - 1])) return bad("signals must ascend");
  }
  for (std::size_t i = 0; i < c.below.size(); ++i) {
    if (!std::isfinite(c.below[i]) || c.below[i] > 0 || !std::isfinite(c.above[i]) || c.above[i] < 0) {
      return bad("an interval does not hold its estimate");
    }
    if (i % c.tails.size() > 0 && (c.below[i] > c.below[i - 1] || c.above[i] < c.above[i - 1])) {
      return bad("a smaller tail has a shorter interval");
    }
  }
  return {};
}

}  // namespace stopover
