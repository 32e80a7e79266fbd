// Rate: how steep the noise is, as an exact fraction.
//
// Discrete Laplace noise at rate lambda = num/den has P(X = x) proportional to exp(-lambda |x|). A charge of e ticks
// with k trips per user is {e, 1'000'000'000 * k}; a descent scales num and den by small integers. The fraction need
// not be reduced.
#pragma once

#include <cstdint>

#include "base/wide.h"

namespace stopover {

struct Rate {
  std::uint64_t num = 0;
  std::uint64_t den = 1;
};

// What every sampler REQUIRES (and checks): 0 < num, den < 2^62 and lambda >= 2^-50.
//
// The last bound makes the samplers' clamp to +-2^62 beside the point: it is hit with probability below exp(-2^12),
// that is 2^-5900. One tick shared by 1000 trips per user is 2^-40.
constexpr bool is_valid(Rate rate) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 62;
  return rate.num > 0 && rate.num < kLimit && rate.den > 0 && rate.den < kLimit &&
         (static_cast<u128>(rate.num) << 50) >= rate.den;
}

}  // namespace stopover
