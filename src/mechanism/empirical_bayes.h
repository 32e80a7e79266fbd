// Empirical Bayes for many noisy counts, each with a rough expectation (its base): post-processing only.
//
// A true count x is taken as Poisson of a mean lambda, and lambda as drawn from a law that is learned from the counts
// themselves, one for every class of bases of about the same size. So what is published of a count is neither the count
// (noise in every empty pair) nor zero below a threshold (small pairs lost): a table that is mostly empty teaches that
// a small count is noise, one that follows its base that it is not.
//
//   const Beliefs believed = empirical_bayes(bases, counts, rate, {});
//   believed.mean[i], believed.variance[i];
//
// docs/internals/zones.md derives it. Memory: 8 bytes per value besides what comes in. The same bits for any threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stopover {

struct BayesOptions {
  int steps = 120;         // of the EM algorithm
  double borrow = 10;      // as how many values of its own a class may take what its next neighbour says
  double doubt = 0;        // how far sums of tiny beliefs that are not beyond their noise are drawn to zero
  bool quantiles = false;  // give posterior quantiles too, of one level per class that keeps the class's sum as far as
                           // it can: the least mean absolute error for that sum
};

struct Beliefs {
  std::vector<float> mean;      // not negative
  std::vector<float> variance;  // of the true count, given all counts; above 0
  std::vector<float> quantile;  // if asked for
};

// `rate`: of the counts' noise, P(noise = k) ~ exp(-rate |k|). REQUIRES: as many bases as counts, bases finite and not
// negative, rate > 0.
Beliefs empirical_bayes(std::span<const float> bases, std::span<const std::int64_t> counts, double rate,
                        const BayesOptions& options);

}  // namespace stopover
