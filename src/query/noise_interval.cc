#include "query/noise_interval.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "base/check.h"
#include "base/portable_math.h"

namespace stopover {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kNegligible = 1e-12;  // share of the variance
constexpr double kTail = 1e-7;         // what may be cut off a Fourier sum
constexpr double kSmooth = 0.05;       // largest step in standard deviations that counts as none
constexpr double kBlur = 0.08;         // width of the smoothing in standard deviations
constexpr double kKernelEnd = 40;      // in 1/width of the smoothing: beyond, its transform is below 0.004
constexpr double kMostFrequencies = 8000;

// erf(z/sqrt 2) = sqrt(2/pi) exp(-z^2/2) (z + z^3/3 + z^5/(3*5) + ...): all terms positive.
double normal_within(double z) {
  double term = z;
  double sum = z;
  for (int odd = 3; term > 1e-18 * sum; odd += 2) {
    term *= z * z / odd;
    sum += term;
  }
  return std::sqrt(2 / kPi) * portable_exp(-z * z / 2) * sum;
}

double normal_half_width(double level) {
  double lo = 0;
  double hi = 9;
  for (int i = 0; i < 60; ++i) {
    const double mid = (lo + hi) / 2;
    (normal_within(mid) < level ? lo : hi) = mid;
  }
  return (lo + hi) / 2;
}

// log(1 + x) for x >= 0.
double log_one_plus(double x) {
  if (x > 1e-3) return portable_log(1 + x);
  return x * (1 - x * (1.0 / 2 - x * (1.0 / 3 - x * (1.0 / 4 - x * (1.0 / 5 - x / 6)))));
}

// The rate of a discrete Laplace variable of that variance.
double laplace_rate(double variance) {
  const double s = 1 / variance;
  return log_one_plus(s + std::sqrt(s * (2 + s)));
}

// sin and cos of an angle times 1, 2, 3, ...: one rotation a step.
struct Turn {
  double sine, cosine, step_sine, step_cosine;

  explicit Turn(double angle)
      : sine(portable_sin(angle)), cosine(portable_cos(angle)), step_sine(sine), step_cosine(cosine) {}
  void next() {
    const double s = sine * step_cosine + cosine * step_sine;
    cosine = cosine * step_cosine - sine * step_sine;
    sine = s;
  }
};

double power(double base, std::uint64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if (exponent & 1) result *= base;
  }
  return result;
}

// The characteristic function at t = step, 2 step, 3 step, ...
class Spectrum {
 public:
  Spectrum(std::span<const NoiseTerm> terms, const NoiseRest& rest, double step) {
    for (const NoiseTerm& term : terms) {
      turns_.emplace_back(term.weight * step / 2);
      doubled_.push_back(2 * term.variance);
      times_.push_back(term.times);
    }
    if (rest.noise.second > 0) {
      const NoiseCumulants blurred = rest.blurred();
      const double count = 3 * blurred.second * blurred.second / blurred.fourth;
      rest_times_ = count > 1 && count < 1e6 ? static_cast<std::uint64_t>(count + 0.5) : count > 1 ? 1'000'000 : 1;
      rest_scale_ = blurred.second * step * step / (2 * static_cast<double>(rest_times_));
    }
  }

  double value_and_next() {
    double product = 1;
    for (std::size_t i = 0; i < turns_.size(); ++i) {
      const double factor = 1 + doubled_[i] * turns_[i].sine * turns_[i].sine;
      product *= times_[i] == 1 ? factor : power(factor, times_[i]);
      turns_[i].next();
    }
    if (rest_times_ > 0) {
      product *= power(1 + rest_scale_ * at_ * at_, rest_times_);
      ++at_;
    }
    return 1 / product;
  }

 private:
  std::vector<Turn> turns_;
  std::vector<double> doubled_;
  std::vector<std::uint64_t> times_;
  std::uint64_t rest_times_ = 0;
  double rest_scale_ = 0;
  double at_ = 1;
};

// P(|S| <= x) = slope x + sum_k coefficient_k sin(k omega x).
struct SineSeries {
  double slope = 0;
  double omega = 0;
  std::vector<double> coefficients;

  // Four rotations side by side, each by four steps: one alone would wait for itself.
  double operator()(double x) const {
    constexpr std::size_t kLanes = 4;
    std::array<double, kLanes> sine, cosine, sum{};
    Turn turn(omega * x);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sine[lane] = turn.sine;
      cosine[lane] = turn.cosine;
      if (lane + 1 < kLanes) turn.next();
    }
    const double step_sine = turn.sine, step_cosine = turn.cosine;
    std::size_t k = 0;
    for (; k + kLanes <= coefficients.size(); k += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        sum[lane] += coefficients[k + lane] * sine[lane];
        const double next = sine[lane] * step_cosine + cosine[lane] * step_sine;
        cosine[lane] = cosine[lane] * step_cosine - sine[lane] * step_sine;
        sine[lane] = next;
      }
    }
    for (std::size_t lane = 0; k + lane < coefficients.size(); ++lane) sum[lane] += coefficients[k + lane] * sine[lane];
    return slope * x + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
  }

  // The x in [0, most] where the series reaches the level, to `precision`.
  double reaches(double level, double guess, double most, double precision) const {
    double lo = 0, hi = most;
    double at_lo = -level, at_hi = std::max((*this)(most)-level, 1e-12);
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
      x = (lo * at_hi - hi * at_lo) / (at_hi - at_lo);
    }
    return hi;
  }
};

struct Shape {
  double deviation;
  double largest_step;  // between atoms: the largest weight
  double reach;         // P(|S| > reach) is below kTail
  double most;          // the half-width is not above this
  double period() const { return reach + most; }
};

Shape shape_of(std::span<const NoiseTerm> terms, const NoiseRest& rest, double level) {
  double variance = rest.noise.second > 0 ? rest.blurred().second : 0;
  double step = 0, scale = 0;
  for (const NoiseTerm& term : terms) {
    variance += term.weight * term.weight * term.variance * static_cast<double>(term.times);
    step = std::max(step, term.weight);
    scale = std::max(scale, term.weight / laplace_rate(term.variance));
  }
  const double deviation = std::sqrt(variance);
  if (terms.empty()) scale = deviation;
  const double reach = std::max(6.5 * deviation, 4 * deviation + (16 - portable_log(1 - level)) * scale) + step;
  return {deviation, step, reach, std::min(reach, deviation / std::sqrt(1 - level))};
}

double one_term(const NoiseTerm& term, double level) {
  const double rate = laplace_rate(term.variance);
  const double needed = portable_log(2 / ((1 - level) * (1 + portable_exp(-rate)))) / rate - 1;
  return term.weight * std::max(0.0, std::ceil(needed - 1e-9));
}

// All weights are `step`: in units of it S is an integer, and its distribution modulo an odd m is a finite Fourier sum.
double on_lattice(std::vector<NoiseTerm> terms, double level, double guess) {
  const double step = terms[0].weight;
  for (NoiseTerm& term : terms) term.weight = 1;
  const Shape shape = shape_of(terms, {}, level);
  const double half = std::ceil(shape.period() / 2) + 1;
  const double m = 2 * half + 1;
  SineSeries series{2 / m, 2 * kPi / m, {}};
  Spectrum spectrum(terms, {}, series.omega);
  Turn turn(series.omega / 2);
  for (double k = 1; k <= half; ++k) {
    const double value = spectrum.value_and_next();
    series.coefficients.push_back(2 / m * value / turn.sine);
    turn.next();
    if (value < kTail) break;
  }
  const double q = series.reaches(level, guess / step, shape.most + 1, std::max(1e-4, 1e-7 * shape.deviation));
  const auto enough = [&](double k) { return series(k + 0.5) >= level - 1e-9; };
  double k = std::max(0.0, std::ceil(q - 0.5));
  if (shape.deviation > 1e3) return step * k;
  while (k > 0 && enough(k - 1)) --k;
  while (k < shape.reach && !enough(k)) ++k;
  return step * k;
}

double off_lattice(std::span<const NoiseTerm> terms, const NoiseRest& rest, double level, double guess) {
  const Shape shape = shape_of(terms, rest, level);
  const double half_period = shape.period() / 2;
  SineSeries series{1 / half_period, kPi / half_period, {}};
  Spectrum spectrum(terms, rest, series.omega);
  const bool smooth = shape.largest_step <= kSmooth * shape.deviation;
  const double blur =
      smooth ? shape.largest_step : std::max(kBlur * shape.deviation, kKernelEnd / (kMostFrequencies * series.omega));
  const double last = smooth ? kMostFrequencies : kKernelEnd / (blur * series.omega);
  const double angle = blur / 6 * series.omega;
  Turn turn(angle);
  for (double k = 1; k <= last; ++k) {
    double value = spectrum.value_and_next();
    if (smooth) {
      if (value < kTail * k || k * series.omega * blur > kPi) break;
    } else {
      const double kernel = turn.sine / (k * angle);
      value *= kernel * kernel * kernel;
      turn.next();
    }
    series.coefficients.push_back(2 / kPi * value / k);
  }
  return series.reaches(level, guess, shape.most, 1e-4 * shape.deviation) + blur / 2 + rest.step / 2;
}

// Takes out terms that are hardly ever anything but 0, and returns the probability that one of them is.
double drop_rare(std::vector<NoiseTerm>& terms, double most) {
  double dropped = 0;
  std::erase_if(terms, [&](const NoiseTerm& term) {
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
  for (const NoiseTerm& term : terms) product *= power(1 + 2 * term.variance, term.times);
  return 1 / std::sqrt(product);
}

void merge_equal(std::vector<NoiseTerm>& terms) {
  for (NoiseTerm& term : terms) term.weight = term.weight < 0 ? -term.weight : term.weight;
  std::erase_if(terms, [](const NoiseTerm& term) { return term.weight == 0 || term.times == 0; });
  std::sort(terms.begin(), terms.end(), [](const NoiseTerm& a, const NoiseTerm& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.variance > b.variance;
  });
  std::size_t kept = 0;
  for (const NoiseTerm& term : terms) {
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

NoiseInterval::NoiseInterval(double level) : level_(level) {
  STOPOVER_CHECK(level > 0 && level < 1, "a level must be above 0 and below 1");
  z_ = normal_half_width(level);
  const double z = z_, z2 = z * z;
  slope_ = z * (z2 - 3) / 24;
  // The sixth cumulant of n equal Laplace terms is 10/3 of the squared fourth.
  const double sixth = 10.0 / 3 / 720 * z * (z2 * z2 - 10 * z2 + 15);
  const double squared = z * (3 * z2 * z2 - 24 * z2 + 29) / 384;
  curve_ = sixth - squared;
  kurtosis_limit_ = std::min(0.5, std::sqrt(0.003 * z / (std::fabs(sixth) + std::fabs(squared))));
}

double NoiseInterval::half_width(const NoiseCumulants& noise, double step, bool lattice) const {
  if (noise.second <= 0) return 0;
  const double variance = noise.second + step * step / 12;
  const double g = (noise.fourth - step * step * step * step / 120) / (variance * variance);
  const double q = std::sqrt(variance) * (z_ + slope_ * g + curve_ * g * g);
  return lattice ? step * std::max(0.0, std::ceil(q / step - 0.5 - 1e-9)) : q + step / 2;
}

NoiseCumulants NoiseRest::blurred() const {
  const double second = noise.second + step * step / 12;
  return {second, std::max(noise.fourth - step * step * step * step / 120, 1e-6 * second * second)};
}

double NoiseInterval::half_width(std::vector<NoiseTerm>& terms, const NoiseRest& rest) const {
  merge_equal(terms);
  const double level = level_ + drop_rare(terms, 1e-3 * (1 - level_));
  double variance = 0;
  for (const NoiseTerm& term : terms) {
    variance += term.weight * term.weight * term.variance * static_cast<double>(term.times);
  }
  const bool no_rest = rest.noise.second <= kNegligible * variance;
  if (terms.empty() && no_rest) return 0;
  const double guess = z_ * std::sqrt(variance + rest.noise.second);
  if (!no_rest) return off_lattice(terms, rest, level, guess);
  if (all_zero(terms) >= level) return 0;
  if (terms.size() == 1 && terms[0].times == 1) return one_term(terms[0], level);
  const bool equal = terms.front().weight - terms.back().weight <= kNegligible * terms.front().weight;
  return equal ? on_lattice(terms, level, guess) : off_lattice(terms, {}, level, guess);
}

}  // namespace stopover
