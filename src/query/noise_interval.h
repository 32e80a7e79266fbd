// NoiseInterval: how far the noise of an answer can reach.
//
// The noise of every answer is a weighted sum of independent discrete Laplace variables, S = sum w_i X_i, symmetric
// about 0. half_width gives a q with P(|S| <= q) >= level, as small as the method allows. Two methods:
//
// From terms, where few matter. The distribution of S itself, by Fourier inversion of its characteristic function, the
// product of 1/(1 + v_i (1 - cos(w_i t))) where v_i is the variance of X_i.
//   - One term: closed form, exact.
//   - All weights equal (an aligned box): S lives on a lattice and the finite Fourier sum is exact up to a wrapped tail
//     below 1e-7; q is the smallest lattice point that reaches the level.
//   - Weights that differ: S has atoms on no lattice, so S + U is inverted, U smooth and |U| <= d/2; then
//     P(|S| <= q + d/2) >= P(|S + U| <= q) proves the level. d is the largest weight, but at most 0.1 standard
//     deviations, so the interval is at most about 2.5 % wider than the shortest one.
//   - Terms so sure to be 0 that together they have less than 1/1000 of the chance to miss are dropped, and paid for in
//     the level.
//   - `rest` is what was too small to be listed, each piece below 1/64 of the variance. It enters as 2, 4, ... 64
//     equal Laplace variables of the same variance and as nearly the same fourth cumulant as they can have; what that
//     gets wrong moves q by less than 0.1 %. Its steps are paid for as below.
//
// From cumulants, where many do. The Cornish-Fisher expansion in the exact second and fourth cumulants, with the sixth
// that equal terms would have. It is taken only where it is good enough (`near_normal`): where its second-order part is
// below 0.3 % of q (at 95 %, an excess kurtosis below about 0.18, 17 equal Laplace terms or more); and at levels of 80
// to 99 % up to an excess kurtosis of 0.6, five equal terms, if steps are small. There it is within 0.3 % for equal
// terms and up to 1.2 % too long where one stands out, whose sixth cumulant is larger (0.1 % too short at 80 %). Steps
// between atoms are paid for: S plus a uniform variable as wide as the step is expanded and step/2 added, or q is
// rounded to the lattice where there is one.
//
// How often they hold, measured, is in noise_interval_test.cc and answerer_test.cc.
#pragma once

#include <cstdint>
#include <vector>

namespace stopover {

// The fourth cumulant of a discrete Laplace variable of that variance.
inline double laplace_fourth(double variance) { return variance * (1 + 3 * variance); }

// `times` independent variables of that variance, each with that weight.
struct NoiseTerm {
  double weight = 0;
  double variance = 0;
  std::uint64_t times = 1;
};

struct NoiseCumulants {
  double second = 0;
  double fourth = 0;
};

// Pieces taken together.
struct NoiseRest {
  NoiseCumulants noise{};
  double step = 0;  // the largest weight among them

  // Of the rest plus a uniform variable as wide as the step.
  NoiseCumulants blurred() const;
};

// A whole sum S: some terms one by one and the rest.
struct NoiseList {
  std::vector<NoiseTerm> terms;
  NoiseRest rest;
};

class NoiseInterval {
 public:
  // Whether registers are used that not every processor has. The bits are the same: for tests.
  enum class Registers { any, widest };
  // REQUIRES: 0 < level < 1.
  explicit NoiseInterval(double level, Registers registers = Registers::widest);

  double level() const { return level_; }

  // Whether half_width(cumulants, step) is as good as the terms.
  bool near_normal(const NoiseCumulants& noise, double step) const {
    const bool small_steps = step * step <= kSmallStep * kSmallStep * noise.second;
    return noise.fourth <= (small_steps ? small_steps_limit_ : kurtosis_limit_) * noise.second * noise.second;
  }

  // `step`: no atom of S is further than this from the next (the largest weight will do). `lattice`: all atoms are
  // multiples of step. REQUIRES: near_normal(noise, step).
  double half_width(const NoiseCumulants& noise, double step, bool lattice) const;

  // Sorts and merges the terms.
  double half_width(std::vector<NoiseTerm>& terms, const NoiseRest& rest) const;

 private:
  static constexpr double kSmallStep = 0.1;  // in standard deviations
  double level_;
  bool wide_;
  double z_;  // P(|normal| <= z) = level
  double kurtosis_limit_, small_steps_limit_;
  double slope_, curve_;  // Cornish-Fisher: z + slope*g + curve*g^2, g the excess kurtosis
};

}  // namespace stopover
