// Goodness of fit: does a sample come from the law that was promised?
//
// p-values for tests with fixed keys. A test fails below kFalseAlarm, so with a fresh key each single comparison would
// alarm for nothing once in a billion runs.
#pragma once

#include <cstdint>
#include <span>

namespace stopover {

inline constexpr long double kFalseAlarm = 1e-9L;

struct ChiSquare {
  long double statistic = 0;
  int degrees = 0;
  long double p_value = 1;  // P(a chi-square variable of these degrees >= statistic)
};

// Observed counts against the probabilities of the same values (which sum to 1, the last values standing for tails).
// Neighbouring values are pooled until at least 25 are expected. One pooled value alone proves nothing and gives p = 1.
ChiSquare chi_square(std::span<const std::uint64_t> observed, std::span<const long double> probability);

// Two samples of the same unknown law, pooled alike (at least 25 seen in both together).
ChiSquare chi_square_two_samples(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

// Exact and two-sided: min(1, 2 min(P(X <= hits), P(X >= hits))) for X ~ Binomial(trials, p).
long double binomial_p_value(std::uint64_t hits, std::uint64_t trials, long double p);

// Discrete Laplace of rate lambda, by the formula: P(X = x), and P(|X| >= t) for t >= 1.
long double laplace_pmf(long double lambda, std::int64_t x);
long double laplace_tail(long double lambda, std::int64_t t);

}  // namespace stopover
