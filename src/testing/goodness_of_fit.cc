#include "testing/goodness_of_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/check.h"

namespace stopover {
namespace {

constexpr long double kLeastExpected = 25;

// P(Gamma(a) >= x), by the series below a + 1 and Lentz's continued fraction above.
long double gamma_upper(long double a, long double x) {
  if (x <= 0) return 1;
  const long double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    long double term = 1 / a, sum = term;
    for (long double n = a + 1; term > sum * 1e-18L; ++n) sum += term *= x / n;
    return 1 - front * sum;
  }
  constexpr long double kTiny = 1e-300L;
  long double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
  for (int i = 1; i < 100'000; ++i) {
    const long double n = -i * (i - a);
    b += 2;
    d = n * d + b;
    d = 1 / (std::fabs(d) < kTiny ? kTiny : d);
    c = b + n / c;
    if (std::fabs(c) < kTiny) c = kTiny;
    h *= d * c;
    if (std::fabs(d * c - 1) < 1e-17L) break;
  }
  return front * h;
}

ChiSquare with_p_value(long double statistic, int degrees) {
  return {statistic, degrees, degrees > 0 ? gamma_upper(degrees / 2.0L, statistic / 2) : 1};
}

}  // namespace

ChiSquare chi_square(std::span<const std::uint64_t> observed, std::span<const long double> probability) {
  STOPOVER_CHECK(observed.size() == probability.size(), "a probability for each value");
  const long double whole = std::accumulate(probability.begin(), probability.end(), 0.0L);
  STOPOVER_CHECK(std::fabs(whole - 1) < 1e-9L, "probabilities must sum to 1");
  const auto n = static_cast<long double>(std::accumulate(observed.begin(), observed.end(), std::uint64_t{0}));
  std::vector<std::pair<long double, long double>> pools;  // seen, expected
  long double seen = 0, expected = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    seen += static_cast<long double>(observed[i]);
    expected += n * probability[i];
    if (expected < kLeastExpected) continue;
    pools.emplace_back(seen, expected);
    seen = expected = 0;
  }
  if (pools.empty()) return {};
  pools.back().first += seen;
  pools.back().second += expected;
  long double statistic = 0;
  for (const auto& [o, e] : pools) statistic += (o - e) * (o - e) / e;
  return with_p_value(statistic, static_cast<int>(pools.size()) - 1);
}

ChiSquare chi_square_two_samples(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  STOPOVER_CHECK(a.size() == b.size(), "two samples over the same values");
  std::vector<std::pair<long double, long double>> pools{{0, 0}};
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (pools.back().first + pools.back().second >= kLeastExpected) pools.emplace_back(0, 0);
    pools.back().first += static_cast<long double>(a[i]);
    pools.back().second += static_cast<long double>(b[i]);
  }
  const auto na = static_cast<long double>(std::accumulate(a.begin(), a.end(), std::uint64_t{0}));
  const auto nb = static_cast<long double>(std::accumulate(b.begin(), b.end(), std::uint64_t{0}));
  const long double ra = std::sqrt(nb / na), rb = std::sqrt(na / nb);
  long double statistic = 0;
  int used = 0;
  for (const auto& [x, y] : pools) {
    if (x + y == 0) continue;
    statistic += (ra * x - rb * y) * (ra * x - rb * y) / (x + y);
    ++used;
  }
  return with_p_value(statistic, used - 1);
}

long double binomial_p_value(std::uint64_t hits, std::uint64_t trials, long double p) {
  STOPOVER_CHECK(hits <= trials && p >= 0 && p <= 1, "binomial out of range");
  if (p == 0) return hits == 0 ? 1 : 0;
  if (p == 1) return hits == trials ? 1 : 0;
  const auto n = static_cast<long double>(trials);
  const auto k = static_cast<long double>(hits);
  const long double at = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
                                  (n - k) * std::log1p(-p));
  long double lower = at, upper = at, term = at;
  for (long double i = k; i > 0 && term > lower * 1e-20L; --i) lower += term *= i * (1 - p) / ((n - i + 1) * p);
  term = at;
  for (long double i = k; i < n && term > upper * 1e-20L; ++i) upper += term *= (n - i) * p / ((i + 1) * (1 - p));
  return std::min(1.0L, 2 * std::min(lower, upper));
}

long double laplace_pmf(long double lambda, std::int64_t x) {
  return std::tanh(lambda / 2) * std::exp(-lambda * std::fabs(static_cast<long double>(x)));
}

long double laplace_tail(long double lambda, std::int64_t t) {
  return 2 * std::exp(-lambda * static_cast<long double>(t)) / (1 + std::exp(-lambda));
}

}  // namespace stopover
