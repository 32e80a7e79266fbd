#include "query/calibration.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"
#include "query/at_tail.h"

namespace stopover {
namespace {

constexpr std::size_t kClump = 3;  // of the features

}  // namespace

Features features_of(const Answer& answer) {
  // Variances must not become negative, so what rounding may bring below 0 is cut off.
  const double estimate = std::max(0.0, answer.estimate);
  const double spread = std::max(0.0, answer.placement.spread), clump = std::max(0.0, answer.placement.clump);
  // How far the projection moved the answer: a sign of empty land around it, or of noise that was cut off.
  const double moved = answer.estimate - answer.unprojected;
  // In the order of Calibration's weights. The noise variance is exact, spread grows as trips that choose one by one,
  // clump and spread^2 as trips that go together, the estimate as Poisson chance.
  return {1, answer.noise_variance, spread, clump, spread * spread, estimate, moved * moved};
}

double centre_of(const Answer& answer) { return 0.5 * (answer.estimate + answer.unprojected); }

double error_scale(const Calibration& calibration, const Features& features) {
  // Weights and features are not negative, so the sum is not. The start keeps the scale above 0.
  double variance = 1e-12;
  for (std::size_t i = 0; i < features.size(); ++i) variance += calibration.weights[i] * features[i];
  return std::sqrt(variance);
}

CalibratedInterval::CalibratedInterval(const Calibration& calibration, double level, double clumping)
    : calibration_(calibration), clumping_(clumping) {
  STOPOVER_CHECK(level > 0 && level < 1, "a level must be above 0 and below 1");
  // Half of the chance to miss at each end.
  const double p = (1 - level) / 2;
  const std::size_t tails = calibration.tails.size();
  for (std::size_t row = 0; row < calibration.signals.size(); ++row) {
    // The lower end never lies above the centre, the upper never below it.
    below_.push_back(std::min(0.0, at_tail(calibration.tails, calibration.below.data() + row * tails, p)));
    above_.push_back(std::max(0.0, at_tail(calibration.tails, calibration.above.data() + row * tails, p)));
    // All of the chance at the upper end, for an interval that starts at 0.
    above_zero_.push_back(std::max(0.0, at_tail(calibration.tails, calibration.above.data() + row * tails, 2 * p)));
  }
}

PlacementBounds CalibratedInterval::operator()(const Answer& answer) const {
  // What cells that an edge cuts leave open comes besides: the questions it was learned from take whole cells. Of cells
  // that are leaves n^2 f (1 - f) is in the clump, too, as if all of their trips stood together.
  Features features = features_of(answer);
  features[kClump] = std::max(0.0, features[kClump] - (1 - clumping_) * answer.placement.edge);
  const double learned = error_scale(calibration_, features);
  const double scale = std::sqrt(learned * learned + clumping_ * answer.placement.edge);
  const std::vector<double>& signals = calibration_.signals;
  // Estimate in units of its own error: the shape of the error's law depends on it. Near 0 it is skewed, as counts are
  // not negative; far from 0 it is nearly symmetric.
  const double signal = answer.estimate / scale;
  const auto next =
      static_cast<std::size_t>(std::upper_bound(signals.begin(), signals.end(), signal) - signals.begin());
  // Between two rows linearly; before the first and beyond the last as there.
  std::size_t row = signals.size() - 1;
  double part = 0;
  if (next == 0) {
    row = 0;
  } else if (next < signals.size()) {
    row = next - 1;
    part = (signal - signals[row]) / (signals[next] - signals[row]);
  }
  // Errors were learned as (truth - centre)/scale, so the ends are centre + scale times quantile.
  const auto at = [&](const std::vector<double>& ends) {
    return centre_of(answer) + scale * (part > 0 ? ends[row] + part * (ends[row + 1] - ends[row]) : ends[row]);
  };
  const PlacementBounds both{at(below_), at(above_)};
  const double from_zero = at(above_zero_);
  // The interval from 0 on covers as well as the other, since the truth is never below 0. Its length is its upper end.
  return from_zero < both.upper - std::max(0.0, both.lower) ? PlacementBounds{std::min(0.0, both.lower), from_zero}
                                                            : both;
}

}  // namespace stopover
