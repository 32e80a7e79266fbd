#include "query/combined_answer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "query/contrast.h"
#include "query/placement.h"

namespace stopover {
namespace {

// What is common to the errors of several periods, squared, on one side of a sum.
class CommonPart {
 public:
  // `half`: how far the count may be off that way; `noise`: by noise alone.
  void add(double coefficient, double half, double noise) {
    const double beyond = coefficient * coefficient * std::max(0.0, half * half - noise * noise);
    squares_ += beyond;
    sum_ += coefficient > 0 ? std::sqrt(beyond) : -std::sqrt(beyond);
  }
  // Below 0 for a difference: what is common cancels.
  double cross() const { return sum_ * sum_ - squares_; }

 private:
  double squares_ = 0, sum_ = 0;
};

// What is common to all periods of a sum.
double adding(Leaning leaning) {
  if (leaning == Leaning::none) return kCommonPlacement;
  return leaning == Leaning::open_stop ? kCommonOpenStop : kCommonHistory;
}

// How much of what is common to so many periods, beyond noise, is counted on to cancel.
double cancelling(std::size_t periods, Leaning leaning) {
  if (periods == 2) return kCommonOfTwo;
  return leaning == Leaning::none ? 0 : kCommonOfSlope;
}

}  // namespace

Answer combined_answer(std::span<const Answer> answers, std::span<const double> coefficients,
                       const AnswerOptions& options, Leaning leaning) {
  STOPOVER_CHECK(!answers.empty() && answers.size() == coefficients.size(), "each answer has a coefficient");
  AnswerOptions safe = options;
  safe.together *= answers.size();
  std::vector<ContrastPart> parts;
  Answer sum;
  sum.level = options.level;
  double largest = 0;
  bool claimed = true, ends_claimed = true;
  // Beyond noise; for sums of releases that lean on each other, with it.
  CommonPart common_up, common_down, beyond_up, beyond_down;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const double c = coefficients[i];
    const Answer& a = answers[i];
    parts.emplace_back(c, a, safe.each_level());
    sum.unprojected += c * a.unprojected;
    sum.noise_variance += c * c * a.noise_variance;
    sum.partitions_cut += a.partitions_cut;
    sum.believed = sum.believed || a.believed;
    claimed = claimed && a.claimed;
    ends_claimed = ends_claimed && a.ends_claimed;
    const double noise = (a.noise_upper - a.noise_lower) / 2, up = a.upper_alone() - a.estimate,
                 down = a.estimate - a.lower;
    common_up.add(c, c > 0 ? up : down, leaning == Leaning::none ? noise : 0);
    common_down.add(c, c > 0 ? down : up, leaning == Leaning::none ? noise : 0);
    beyond_up.add(c, c > 0 ? up : down, noise);
    beyond_down.add(c, c > 0 ? down : up, noise);
    if (a.noise_variance > 0) largest = std::max(largest, std::abs(c));
  }
  const Contrast by = contrast(parts);
  // Steps of each are 1 at most.
  const double half =
      sum.noise_variance > 0 ? noise_reach(options.each_level()) * std::sqrt(sum.noise_variance) + 0.5 * largest : 0;
  sum.estimate = by.estimate;
  sum.noise_lower = sum.unprojected - half;
  sum.noise_upper = sum.unprojected + half;
  sum.bounds_lower = std::min({by.bounds_lower, sum.estimate, sum.noise_lower});
  sum.bounds_upper = std::max({by.bounds_upper, sum.estimate, sum.noise_upper});
  sum.calibrated = by.calibrated;
  const auto shared = [&](double half_width, const CommonPart& added, const CommonPart& beyond) {
    const double common = adding(leaning) * std::max(0.0, added.cross()) +
                          cancelling(answers.size(), leaning) * std::min(0.0, beyond.cross());
    return common == 0 ? half_width : std::sqrt(std::max(0.0, half_width * half_width + common));
  };
  sum.lower = by.calibrated
                  ? std::max(sum.estimate - shared(sum.estimate - by.lower, common_down, beyond_down), sum.bounds_lower)
                  : sum.bounds_lower;
  sum.upper = by.calibrated
                  ? std::min(sum.estimate + shared(by.upper - sum.estimate, common_up, beyond_up), sum.bounds_upper)
                  : sum.bounds_upper;
  const bool measured = leaning == Leaning::none || (leaning == Leaning::all_stops && answers.size() <= kMostLeaning);
  sum.claimed = !by.calibrated || (claimed && measured);
  sum.ends_claimed = sum.claimed && (!by.calibrated || ends_claimed);
  sum.aligned = sum.partitions_cut == 0;
  return sum;
}

}  // namespace stopover
