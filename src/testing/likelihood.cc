#include "testing/likelihood.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace stopover {
namespace {

Bounds fraction(u128 num, u128 den) {
  // A 128-bit integer is two halves that a long double holds exactly.
  const auto exact = [](u128 value) {
    const Bounds high = static_cast<long double>(static_cast<std::uint64_t>(value >> 64));
    const Bounds low = static_cast<long double>(static_cast<std::uint64_t>(value));
    return value >> 64 == 0 ? low : high * Bounds(18446744073709551616.0L) + low;
  };
  return num == 0 ? Bounds(0) : exact(num) / exact(den);
}

u128 distance(std::int64_t a, std::int64_t b) {
  const i128 difference = static_cast<i128>(a) - b;
  return static_cast<u128>(difference < 0 ? -difference : difference);
}

// log P(X = 0) = log tanh(rate/2) = log((1 - a)/(1 + a)), a = exp(-rate).
Bounds log_peak(Rate rate) {
  const Bounds minus_rate = -fraction(rate.num, rate.den);
  return log(-expm1(minus_rate)) - log1p(exp(minus_rate));
}

// P(X >= m) = a^m/(1 + a) for m >= 1.
Bounds tail(Rate rate, u128 m) {
  const Bounds a = exp(-fraction(rate.num, rate.den));
  return exp(-fraction(m * rate.num, rate.den)) / (Bounds(1) + a);
}

}  // namespace

Bounds log_count(Rate rate, std::int64_t truth, std::int64_t released) {
  return log_peak(rate) - fraction(distance(truth, released) * rate.num, rate.den);
}

Bounds log_choice(std::span<const std::uint64_t> penalties, u128 num, u128 den, std::size_t index) {
  STOPOVER_CHECK(index < penalties.size(), "a choice outside its candidates");
  const std::uint64_t least = *std::min_element(penalties.begin(), penalties.end());
  const auto exponent = [&](std::size_t i) { return -fraction((penalties[i] - least) * num, den); };
  std::vector<Bounds> product = {1};  // coefficients of the powers of u
  for (std::size_t j = 0; j < penalties.size(); ++j) {
    if (j == index) continue;
    const bool best = penalties[j] == least;
    const Bounds taken = best ? Bounds(1) : exp(exponent(j));
    const Bounds refused = best ? Bounds(0) : -expm1(exponent(j));
    std::vector<Bounds> next(product.size() + 1);
    for (std::size_t power = 0; power < product.size(); ++power) {
      if (!best) next[power] = next[power] + product[power] * refused;
      next[power + 1] = next[power + 1] + product[power] * taken;
    }
    product = std::move(next);
  }
  Bounds integral = 0;
  for (std::size_t power = 0; power < product.size(); ++power) {
    integral = integral + product[power] / Bounds(static_cast<long double>(power + 1));
  }
  return exponent(index) + log(Bounds(std::max(integral.lo, 0.0L), integral.hi));
}

Bounds log_grow(Rate rate, std::int64_t truth, bool split) {
  // Split means X >= 1 - truth; as X is symmetric, the other case is X >= truth.
  const i128 least = split ? 1 - static_cast<i128>(truth) : static_cast<i128>(truth);
  if (least >= 1) {
    return -fraction(static_cast<u128>(least) * rate.num, rate.den) - log1p(exp(-fraction(rate.num, rate.den)));
  }
  return log1p(-tail(rate, static_cast<u128>(1 - least)));
}

Bounds log_unlisted(Rate rate, std::uint64_t threshold, std::int64_t truth) {
  const auto t = static_cast<u128>(threshold), n = static_cast<u128>(truth);
  if (n < t) return log1p(-(tail(rate, t - n) + tail(rate, t + n)));
  // From -(n + t) < X < t - n <= 0: a^(n-t+1) (1 - a^(2t-1))/(1 + a).
  const Bounds a = exp(-fraction(rate.num, rate.den));
  return -fraction((n - t + 1) * rate.num, rate.den) + log(-expm1(-fraction((2 * t - 1) * rate.num, rate.den))) -
         log1p(a);
}

Bounds log_gradual(Rate fine, Rate coarse, std::int64_t truth, std::int64_t hidden, std::int64_t released) {
  // W is 0 with probability p = (a2/a1) ((1 - a1)/(1 - a2))^2, else a draw of the coarse law.
  const Bounds l1 = fraction(coarse.num, coarse.den), l2 = fraction(fine.num, fine.den);
  const Bounds ratio = expm1(-l1) / expm1(-l2);
  const Bounds p = exp(l1 - l2) * ratio * ratio;
  const Bounds other = Bounds(1) - p;
  Bounds w = Bounds(std::max(other.lo, 0.0L), std::max(other.hi, 0.0L)) * exp(log_count(coarse, hidden, released));
  if (hidden == released) w = w + p;
  return log_count(fine, truth, hidden) + log(Bounds(std::max(w.lo, 0.0L), w.hi));
}

}  // namespace stopover
