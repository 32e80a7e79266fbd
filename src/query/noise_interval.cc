#include "query/noise_interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "base/portable_math.h"
#include "query/normal.h"

namespace stopover {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNegligible = 1e-12;   // share of the variance
constexpr double kTail = 1e-7;          // what may be cut off a Fourier sum on a lattice
constexpr double kSmooth = 0.1;         // largest step in standard deviations that counts as none
constexpr double kBlur = 0.1;           // width of the smoothing in standard deviations
constexpr double kKernelEnd = 6 * kPi;  // in 1/width of the smoothing: beyond, its transform is below 0.011
constexpr double kMostFrequencies = 8000;

// log(1 + x) for x >= 0.
double log_one_plus(double x) {
  // Beyond 1e-3 the rounding of 1 + x costs about 1e-13 of the result at most. Below, the Taylor series to x^6: the
  // next term is x^7/7, under 1e-18 of x.
  if (x > 1e-3) return portable_log(1 + x);
  return x * (1 - x * (1.0 / 2 - x * (1.0 / 3 - x * (1.0 / 4 - x * (1.0 / 5 - x / 6)))));
}

// The rate of a discrete Laplace variable of that variance.
double laplace_rate(double variance) {
  // The variance is v = 2p/(1 - p)^2 = 1/(cosh r - 1) with p = e^-r. So cosh r = 1 + s, s = 1/v, and e^r = 1 + s +
  // sqrt(s (2 + s)). The logarithm is of 1 + something small where noise is large.
  const double s = 1 / variance;
  return log_one_plus(s + std::sqrt(s * (2 + s)));
}

// sin and cos of an angle times 1, 2, 3, ...: one rotation a step.
// The angle addition formulas; the error grows with the number of steps, to about 1e-12 after thousands.
struct Turn {
  double sine, cosine, step_sine, step_cosine;

  explicit Turn(double angle)
      : sine(portable_sin(angle)), cosine(portable_cos(angle)), step_sine(sine), step_cosine(cosine) {}
  void next() {
    // sin(a + b) and cos(a + b). No trigonometric function is called after the start.
    const double s = sine * step_cosine + cosine * step_sine;
    cosine = cosine * step_cosine - sine * step_sine;
    sine = s;
  }
};

// Four values side by side: the same operations, and so the same bits, wherever they are compiled. What works on them
// is always inlined into off_lattice_by, so that it can be compiled once more for processors with registers of four
// doubles.
using Lanes = double __attribute__((vector_size(4 * sizeof(double)), aligned(2 * sizeof(double))));
constexpr std::size_t kLanes = 4;

// sin and cos of an angle times k, k + 1, k + 2, k + 3, from k = 1 on: one rotation by four steps at a time.
struct LaneTurn {
  Lanes sine{}, cosine{};
  double step_sine = 0, step_cosine = 1;

  [[gnu::always_inline]] explicit LaneTurn(double angle) {
    Turn turn(angle);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sine[lane] = turn.sine;
      cosine[lane] = turn.cosine;
      // After the last lane these hold sin and cos of four angles: the step of all lanes.
      step_sine = turn.sine;
      step_cosine = turn.cosine;
      turn.next();
    }
  }
  [[gnu::always_inline]] void next() {
    const Lanes s = sine * step_cosine + cosine * step_sine;
    cosine = cosine * step_cosine - sine * step_sine;
    sine = s;
  }
};

// result *= base^exponent; the base is lost.
template <typename Number>
[[gnu::always_inline]] inline void multiply_by_power(Number& result, Number& base, std::uint64_t exponent) {
  // By repeated squaring: one product for every bit of the exponent.
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if (exponent & 1) result *= base;
  }
}

// 1 over the characteristic function at t = step, 2 step, 3 step, ...
class Spectrum {
 public:
  // A discrete Laplace variable of variance v has the characteristic function 1/(1 + v (1 - cos t)), and 1 - cos t = 2
  // sin^2(t/2): a term of weight w turns by w step/2 and its factor is 1 + 2v sin^2. Exact.
  [[gnu::always_inline]] Spectrum(std::span<const NoiseTerm> terms, const NoiseRest& rest, double step) {
    terms_.reserve(terms.size());
    for (const NoiseTerm& term : terms) {
      terms_.push_back({LaneTurn(term.weight * step / 2), 2 * term.variance, term.times});
    }
    if (rest.noise.second > 0) {
      // The rest, approximately: n equal continuous Laplace variables of variance V together have the fourth cumulant 3
      // V^2/n, so n = 3 V^2/fourth; taken is the power of two nearest to it by ratio, for squaring is cheap. One of
      // them has the characteristic function 1/(1 + (V/n) t^2/2).
      const NoiseCumulants blurred = rest.blurred();
      const double count = 3 * blurred.second * blurred.second / blurred.fourth;
      while (doublings_ < kMostDoublings && 2 * static_cast<double>(1 << doublings_) <= count * std::sqrt(2.0))
        ++doublings_;
      rest_scale_ = blurred.second * step * step / (2 * static_cast<double>(1 << doublings_));
    }
  }

  [[gnu::always_inline]] void next_four(Lanes& product) {
    product = Lanes{1, 1, 1, 1};
    for (Term& term : terms_) {
      // The square of sin(w t/2), so the sign of the weight does not matter. Factors are at least 1, so 1/phi can only
      // grow: an overflow to infinity means phi = 0, which is right.
      Lanes factor = 1 + term.doubled * (term.turn.sine * term.turn.sine);
      if (term.times == 1) {
        product *= factor;
      } else {
        multiply_by_power(product, factor, term.times);
      }
      term.turn.next();
    }
    if (rest_scale_ > 0) {
      // (1 + V t^2/(2n))^n with n = 2^doublings: as many squarings.
      Lanes factor = 1 + rest_scale_ * (at_ * at_);
      for (int i = 0; i < doublings_; ++i) factor *= factor;
      product *= factor;
      at_ += kLanes;
    }
  }

 private:
  static constexpr int kMostDoublings = 6;
  struct Term {
    LaneTurn turn;
    double doubled;
    std::uint64_t times;
  };
  std::vector<Term> terms_;
  int doublings_ = 0;
  double rest_scale_ = 0;
  Lanes at_ = {1, 2, 3, 4};
};

// P(|S| <= x) = slope x + sum_k coefficient_k sin(k omega x).
// The cumulative distribution of a symmetric S from its characteristic function phi, known at multiples of omega.
// Wrapped around a period P = 2 pi/omega, S has the density (1 + 2 sum_k phi(k omega) cos(k omega x))/P, whose integral
// from -x to x is 2x/P + sum_k 4 phi(k omega)/(P k omega) sin(k omega x). Wrapping can only add mass, and at x no more
// than P(|S| > P - x): for all x that are asked, the tail that may be cut off.
struct SineSeries {
  double slope = 0;
  double omega = 0;
  struct Four {  // as a template's argument Lanes would lose its alignment
    Lanes value;
  };
  std::vector<Four> coefficients;

  [[gnu::always_inline]] double operator()(double x) const {
    Lanes sum = {0, 0, 0, 0};
    LaneTurn turn(omega * x);
    for (const Four& four : coefficients) {
      sum += four.value * turn.sine;
      turn.next();
    }
    // Lanes are added in one fixed order, so that the bits are the same on all machines.
    return slope * x + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
  }

  // The x in [0, most] where the series reaches the level, to `precision`.
  [[gnu::always_inline]] double reaches(double level, double guess, double most, double at_most,
                                        double precision) const {
    // Regula falsi with the Illinois rule (Dowell, Jarratt 1971): an end that stays twice in a row has its value
    // halved, so that it is left, too. The upper end is returned: there the level is reached.
    double lo = 0, hi = most;
    // At 0 every sine is 0, so the series starts at 0 and the gap to the level is -level.
    double at_lo = -level, at_hi = std::max(at_most - level, 1e-12);
    double x = guess > 0 && guess < most ? guess : most / 2;
    int side = 0;
    for (int i = 0; i < 60 && hi - lo > precision; ++i) {
      const double y = (*this)(x)-level;
      if (y < 0) {
        lo = x, at_lo = y;
        if (side == -1) at_hi /= 2;
        side = -1;
      } else {
        hi = x, at_hi = y;
        if (side == 1) at_lo /= 2;
        side = 1;
      }
      // Where the line through both ends meets the level.
      x = (lo * at_hi - hi * at_lo) / (at_hi - at_lo);
      // The next value should fall just beyond the root, so that both ends close in.
      x = side == 1 ? std::max(lo, x - precision / 4) : std::min(hi, x + precision / 4);
    }
    return hi;
  }
};

struct Shape {
  double deviation;
  double largest_step;  // between atoms: the largest weight
  double reach;         // P(|S| > reach) is below the tail that may be cut off
  double most;          // the half-width is not above this
  double period() const { return reach + most; }
};

Shape shape_of(std::span<const NoiseTerm> terms, const NoiseRest& rest, double level, double tail) {
  double variance = rest.noise.second > 0 ? rest.blurred().second : 0;
  // `scale`: of the slowest of the exponential tails, w/r for a term of rate r.
  double step = 0, scale = 0;
  for (const NoiseTerm& term : terms) {
    // Variances of independent terms add, w^2 v each.
    variance += term.weight * term.weight * term.variance * static_cast<double>(term.times);
    step = std::max(step, term.weight);
    scale = std::max(scale, term.weight / laplace_rate(term.variance));
  }
  const double deviation = std::sqrt(variance);
  if (terms.empty()) scale = deviation;
  // Beyond some deviations S falls as its slowest tail does. Generous rather than proven; the tests measure it.
  const double reach = std::max(6 * deviation, 3.5 * deviation - portable_log(tail) * scale) + step;
  // Chebyshev: P(|S| > q) <= variance/q^2, so q = deviation/sqrt(1 - level) is always enough.
  return {deviation, step, reach, std::min(reach, deviation / std::sqrt(1 - level))};
}

// |X| > k has the probability of two geometric tails, 2 (1 - p)/(1 + p) sum_(j > k) p^j.
double one_term(const NoiseTerm& term, double level) {
  // P(|X| > k) = 2 p^(k + 1)/(1 + p), p = e^-rate: the smallest whole k that makes it at most 1 - level. Exact; 1e-9
  // forgives the rounding of a k that is met exactly.
  const double rate = laplace_rate(term.variance);
  const double needed = portable_log(2 / ((1 - level) * (1 + portable_exp(-rate)))) / rate - 1;
  return term.weight * std::max(0.0, std::ceil(needed - 1e-9));
}

// All weights are `step`: in units of it S is an integer, and its distribution modulo an odd m is a finite Fourier sum.
double on_lattice(std::vector<NoiseTerm> terms, double level, double guess) {
  const double step = terms[0].weight;
  for (NoiseTerm& term : terms) term.weight = 1;
  const Shape shape = shape_of(terms, {}, level, kTail * (1 - level));
  // P(S = j) = (1/m) sum_l phi(2 pi l/m) cos(2 pi l j/m) modulo m. Summed over |j| <= k, the cosines are Dirichlet's
  // kernel, sin((k + 1/2) a)/sin(a/2): a sine series again, to be asked at k + 1/2.
  // m is odd, so that frequencies l and m - l pair up: phi and the cosines are even, and l = 1 .. half, doubled, are
  // all but l = 0.
  const double half = std::ceil(shape.period() / 2) + 1;
  const double m = 2 * half + 1;
  SineSeries series{2 / m, 2 * kPi / m, {}};
  Spectrum spectrum(terms, {}, series.omega);
  LaneTurn turn(series.omega / 2);
  for (double k = 1; k <= half; k += kLanes) {
    Lanes value;
    spectrum.next_four(value);
    value = 1 / value;
    // (1/m)(2k + 1 + 2 sum_l phi_l sin((k + 1/2) a)/sin(a/2)), a = 2 pi l/m: the first part is slope times (k + 1/2).
    series.coefficients.push_back({2 / m * value / turn.sine});
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      // phi has the period m: frequencies beyond half of it would count twice.
      if (k + static_cast<double>(lane) > half) series.coefficients.back().value[lane] = 0;
    }
    turn.next();
    // All further ones are smaller: phi falls towards half the period.
    if (value[0] < kTail) break;
  }
  // The level is sought as if S were continuous, then the lattice points beside it are tried. Far out they are so many
  // that one more or less is within rounding.
  const double q = series.reaches(level, guess / step, shape.most + 1, series(shape.most + 1),
                                  std::max(1e-4, 1e-7 * shape.deviation));
  const auto enough = [&](double k) { return series(k + 0.5) >= level - 1e-9; };
  // The series was solved for k + 1/2; the next whole k from there on.
  double k = std::max(0.0, std::ceil(q - 0.5));
  if (shape.deviation > 1e3) return step * k;
  while (k > 0 && enough(k - 1)) --k;
  while (k < shape.reach && !enough(k)) ++k;
  return step * k;
}

// `usual`: as wide as sums usually are at most; below 0 if this one is wider.
[[gnu::always_inline]] inline double off_lattice_by(std::span<const NoiseTerm> terms, const NoiseRest& rest,
                                                    double level, double guess, bool usual) {
  // What wrapping may add to the probability: a ten-thousandth of the chance to miss.
  const double tail = 1e-4 * (1 - level);
  Shape shape = shape_of(terms, rest, level, tail);
  // Usually a sum is hardly wider at this level than one Laplace variable of its variance, or a normal one (`guess`),
  // and its steps. Not where most terms are hardly ever anything but 0.
  // A small `most` means a short period and so fewer frequencies. It is a guess that is checked below: where the series
  // does not reach the level by then, the caller asks again with the safe one.
  const double widest =
      std::max(guess, -portable_log(1 - level) / std::sqrt(2.0) * shape.deviation) * 1.05 + shape.largest_step;
  usual = usual && widest < shape.most;
  if (usual) shape.most = widest;
  // A period of reach + most: at any x up to `most` the wrapped mass comes from beyond `reach`.
  const double half_period = shape.period() / 2;
  SineSeries series{1 / half_period, kPi / half_period, {}};
  Spectrum spectrum(terms, rest, series.omega);
  // What the series gives is the law of S + U. Small steps: U is uniform and as wide as the largest step, with the
  // transform sin(t b/2)/(t b/2); phi falls by itself and ends the sum. Large steps: phi may never fall, so U is the
  // sum of three uniform variables of width b/3, whose transform (sin(t b/6)/(t b/6))^3 does, and the sum ends at its
  // first zero. In both cases |U| <= b/2.
  const bool smooth = shape.largest_step <= kSmooth * shape.deviation;
  const double blur =
      smooth ? shape.largest_step : std::max(kBlur * shape.deviation, kKernelEnd / (kMostFrequencies * series.omega));
  // The lower limit of blur above keeps this at most kMostFrequencies.
  const double last = smooth ? kMostFrequencies : kKernelEnd / (blur * series.omega);
  const double angle = (smooth ? blur / 2 : blur / 6) * series.omega;
  LaneTurn turn(angle);
  Lanes number = {1, 2, 3, 4};
  for (double k = 1; k <= last; k += kLanes, number += kLanes) {
    Lanes value;
    spectrum.next_four(value);
    value = 1 / value;
    // Ends where the coefficient, 2/pi phi/k, is below the tail, or past half the way to the first zero of U's
    // transform (t b = 2 pi).
    if (smooth && (value[0] < tail * k || k * series.omega * blur > kPi)) break;
    // A product of transforms is that of the sum S + U.
    if (angle > 0) {
      const Lanes kernel = turn.sine / (number * angle);
      value *= smooth ? kernel : kernel * kernel * kernel;
      turn.next();
    }
    series.coefficients.push_back({2 / kPi * value / number});
  }
  const double at_most = series(shape.most);
  if (usual && at_most < level) return -1;
  // P(|S| <= q + b/2) >= P(|S + U| <= q) >= level. The rest was blurred by its own steps in the same way.
  const double q = series.reaches(level, guess, shape.most, at_most, 1e-4 * shape.deviation);
  return q + blur / 2 + rest.step / 2;
}

double off_lattice_anywhere(std::span<const NoiseTerm> terms, const NoiseRest& rest, double level, double guess,
                            bool usual) {
  return off_lattice_by(terms, rest, level, guess, usual);
}

#if defined(__x86_64__) && !defined(__AVX2__)
// The same source compiled for wider registers. avx2 brings no fused products (they are an extension of their own), so
// the bits are the same.
[[gnu::target("avx2")]] double off_lattice_wide(std::span<const NoiseTerm> terms, const NoiseRest& rest, double level,
                                                double guess, bool usual) {
  return off_lattice_by(terms, rest, level, guess, usual);
}
bool has_wide_registers() {
  static const bool has = __builtin_cpu_supports("avx2") != 0;
  return has;
}
#else
constexpr auto off_lattice_wide = off_lattice_anywhere;
bool has_wide_registers() { return false; }
#endif

double off_lattice(std::span<const NoiseTerm> terms, const NoiseRest& rest, double level, double guess, bool wide) {
  const auto by = wide && has_wide_registers() ? off_lattice_wide : off_lattice_anywhere;
  const double usual = by(terms, rest, level, guess, true);
  return usual >= 0 ? usual : by(terms, rest, level, guess, false);
}

// Takes out terms that are hardly ever anything but 0, and returns the probability that one of them is.
double drop_rare(std::vector<NoiseTerm>& terms, double most) {
  double dropped = 0;
  std::erase_if(terms, [&](const NoiseTerm& term) {
    // X is whole, so P(X != 0) <= E X^2; of several, the sum of these at most.
    // The weight does not matter: a term that is 0 adds nothing, however heavy it is.
    const double nonzero = term.variance * static_cast<double>(term.times);
    if (dropped + nonzero > most) return false;
    dropped += nonzero;
    return true;
  });
  return dropped;
}

// P(every X is 0).
double all_zero(std::span<const NoiseTerm> terms) {
  double product = 1;
  for (const NoiseTerm& term : terms) {
    // P(X = 0) = (1 - p)/(1 + p) = tanh(r/2), and tanh^2(r/2) = (cosh r - 1)/(cosh r + 1) = 1/(1 + 2v).
    double factor = 1 + 2 * term.variance;
    multiply_by_power(product, factor, term.times);
  }
  return 1 / std::sqrt(product);
}

void merge_equal(std::vector<NoiseTerm>& terms) {
  // The law of X is symmetric, so the sign of a weight does not matter.
  for (NoiseTerm& term : terms) term.weight = term.weight < 0 ? -term.weight : term.weight;
  std::erase_if(terms, [](const NoiseTerm& term) { return term.weight == 0 || term.times == 0; });
  // By falling weight: afterwards the first is the largest and the last the smallest.
  std::sort(terms.begin(), terms.end(), [](const NoiseTerm& a, const NoiseTerm& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.variance > b.variance;
  });
  std::size_t kept = 0;
  for (const NoiseTerm& term : terms) {
    // Weights that differ by rounding only are one weight.
    if (kept > 0 && terms[kept - 1].variance == term.variance &&
        terms[kept - 1].weight - term.weight <= kNegligible * term.weight) {
      terms[kept - 1].times += term.times;
    } else {
      terms[kept++] = term;
    }
  }
  terms.resize(kept);
}

}  // namespace

NoiseInterval::NoiseInterval(double level, Registers registers) : level_(level), wide_(registers == Registers::widest) {
  z_ = normal_half_width(level);
  // The expansion of Cornish and Fisher (1938) of a symmetric law's quantile, in standard deviations, g the excess
  // kurtosis and k6 the sixth cumulant over the cubed variance: z + g (z^3 - 3z)/24 + k6 (z^5 - 10 z^3 + 15z)/720 - g^2
  // (3z^5 - 24 z^3 + 29z)/384.
  const double z = z_, z2 = z * z;
  slope_ = z * (z2 - 3) / 24;
  // The sixth cumulant of n equal Laplace terms is 10/3 of the squared fourth.
  const double sixth = 10.0 / 3 / 720 * z * (z2 * z2 - 10 * z2 + 15);
  const double squared = z * (3 * z2 * z2 - 24 * z2 + 29) / 384;
  // Continuous Laplace variables of scale b have cumulants 2b^2, 12b^4 and 240b^6; n of them g = 3/n and k6 = 30/n^2.
  // With g and k6 = 10/3 g^2 the quantile is a quadratic in g alone.
  curve_ = sixth - squared;
  // Where the terms in g^2 would be 0.3 % of z.
  kurtosis_limit_ = std::min(0.5, std::sqrt(0.003 * z / (std::fabs(sixth) + std::fabs(squared))));
  small_steps_limit_ = std::max(kurtosis_limit_, level >= 0.8 && level <= 0.99 ? 0.6 : 0.0);
}

double NoiseInterval::half_width(const NoiseCumulants& noise, double step, bool lattice) const {
  if (noise.second <= 0) return 0;
  // A uniform variable as wide as the step has the cumulants step^2/12 and -step^4/120; cumulants of independent ones
  // add.
  // The sum S + U has a density, which the expansion needs.
  const double variance = noise.second + step * step / 12;
  const double g = (noise.fourth - step * step * step * step / 120) / (variance * variance);
  const double q = std::sqrt(variance) * (z_ + slope_ * g + curve_ * g * g);
  // On a lattice, S blurred by one step and S itself agree at the middles between atoms.
  return lattice ? step * std::max(0.0, std::ceil(q / step - 0.5 - 1e-9)) : q + step / 2;
}

NoiseCumulants NoiseRest::blurred() const {
  const double second = noise.second + step * step / 12;
  // The fourth cumulant is divided by, so it is kept above 0: the uniform part may bring it below.
  return {second, std::max(noise.fourth - step * step * step * step / 120, 1e-6 * second * second)};
}

double NoiseInterval::half_width(std::vector<NoiseTerm>& terms, const NoiseRest& rest) const {
  merge_equal(terms);
  // What was dropped is paid for: it misses at most 1/1000 of the time that may be missed at all.
  // P(|S| <= q) >= P(|S'| <= q) - P(something dropped is not 0), S' what is left: so S' has to reach the level and what
  // was dropped.
  const double level = level_ + drop_rare(terms, 1e-3 * (1 - level_));
  double variance = 0;
  for (const NoiseTerm& term : terms) {
    variance += term.weight * term.weight * term.variance * static_cast<double>(term.times);
  }
  const bool no_rest = rest.noise.second <= kNegligible * variance;
  if (terms.empty() && no_rest) return 0;
  // Only where the search starts.
  const double guess = z_ * std::sqrt(variance + rest.noise.second);
  if (!no_rest) return off_lattice(terms, rest, level, guess, wide_);
  // An interval of no width holds often enough.
  if (all_zero(terms) >= level) return 0;
  if (terms.size() == 1 && terms[0].times == 1) return one_term(terms[0], level);
  // Equal weights: S lives on a lattice. The exact sum there needs no blur.
  const bool equal = terms.front().weight - terms.back().weight <= kNegligible * terms.front().weight;
  return equal ? on_lattice(terms, level, guess) : off_lattice(terms, {}, level, guess, wide_);
}

}  // namespace stopover
