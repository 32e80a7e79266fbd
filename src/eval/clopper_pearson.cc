#include "eval/clopper_pearson.h"

#include <cmath>

#include "base/check.h"

namespace stopover {
namespace {

// P(X >= hits), X ~ Binomial(trials, p), for hits above the mean: the terms fall from the first one on.
long double upper_tail(std::uint64_t hits, std::uint64_t trials, long double p) {
  const auto n = static_cast<long double>(trials);
  const auto h = static_cast<long double>(hits);
  // C(n, h) p^h (1 - p)^(n - h) by logarithms: the factors alone would overflow.
  long double term = std::exp(std::lgamma(n + 1) - std::lgamma(h + 1) - std::lgamma(n - h + 1) + h * std::log(p) +
                              (n - h) * std::log1p(-p));
  long double sum = term;
  // P(X = i + 1)/P(X = i) = (n - i)/(i + 1) p/(1 - p), below 1 from the mean on. The sum ends where a term is below
  // rounding; what follows falls at least geometrically.
  for (long double i = h; i < n && term > sum * 1e-18L; ++i) sum += term *= (n - i) / (i + 1) * p / (1 - p);
  return sum;
}

}  // namespace

double clopper_pearson_lower(std::uint64_t hits, std::uint64_t trials, double alpha) {
  STOPOVER_CHECK(hits <= trials && trials > 0 && alpha > 0 && alpha < 0.5, "Clopper-Pearson out of range");
  if (hits == 0) return 0;
  // P(X >= n) = p^n = alpha, solved for p.
  if (hits == trials) return std::pow(alpha, 1 / static_cast<double>(trials));
  // Below the observed share, so `hits` is above the mean, as upper_tail wants it.
  long double low = 0, high = static_cast<long double>(hits) / static_cast<long double>(trials);
  // The tail grows with p, so halving finds where it passes alpha. `low` is returned: there it is still at most alpha,
  // so rounding errs on the safe side.
  for (int i = 0; i < 64; ++i) {
    const long double middle = (low + high) / 2;
    (upper_tail(hits, trials, middle) <= alpha ? low : high) = middle;
  }
  return static_cast<double>(low);
}

double clopper_pearson_upper(std::uint64_t hits, std::uint64_t trials, double alpha) {
  // Misses are hits of 1 - p.
  return 1 - clopper_pearson_lower(trials - hits, trials, alpha);
}

}  // namespace stopover
