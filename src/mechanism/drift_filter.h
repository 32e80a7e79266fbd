// Drift filter: what noisy counts say when each of them was forecast. Post-processing only.
//
// A true count x is taken as drawn about its forecast f with the variance V = f + kappa a^2: chance, and a drift of a
// share sqrt(kappa) of a, the larger of f and a floor. How much drift there is, is learned from the counts themselves:
// a law over a grid of kappas, by EM, that begins with the large ones (a forecast is doubted until counts bear it out).
// The noise is Laplace, so that what counts say of one that is far off is exact.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace stopover {

struct Forecast {
  double f = 0;            // not negative
  double floor = 0;        // a is at least this
  double z = 0, w = 0;     // the count, and the variance of its noise
  double least_kappa = 0;  // no forecast is trusted more than this
};

struct Believed {
  double x = 0, variance = 0;
};

class DriftFilter {
 public:
  static constexpr std::size_t kKappas = 12;

  // Learns the law from many counts.
  explicit DriftFilter(const std::vector<Forecast>& counts);
  // What is believed of one of them.
  Believed operator()(const Forecast& count) const;
  const std::array<double, kKappas>& weights() const { return weights_; }

 private:
  std::array<double, kKappas> weights_{};
};

}  // namespace stopover
