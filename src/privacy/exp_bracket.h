// exp_bracket: exp(-x) to 240 bits and more, with both of its bounds, in integers.
//
// What the table of discrete_laplace.h is built from and what settles its ties. Not fast (about 2 us) and rarely
// called.
#pragma once

#include <array>
#include <cstdint>

#include "base/wide.h"

namespace stopover {

// f = sum of limb[i] / 2^(64 (i+1)): a number in [0, 1), most significant limb first, so that < compares values.
using Fraction = std::array<std::uint64_t, 4>;

// f/2, cut off below 2^-256.
constexpr Fraction half(const Fraction& f) {
  return {f[0] >> 1, f[0] << 63 | f[1] >> 1, f[1] << 63 | f[2] >> 1, f[2] << 63 | f[3] >> 1};
}

// a b, too small by less than 2^-256.
Fraction product(const Fraction& a, const Fraction& b);
// a - b modulo 1; `borrow` tells whether b was larger.
Fraction difference(const Fraction& a, const Fraction& b, bool& borrow);

// low <= exp(-num/den) <= high and high - low <= 2^-242. REQUIRES: 0 < num, 0 < den < 2^62, num/den >= 2^-50.
struct ExpBracket {
  Fraction low{};
  Fraction high{};
};
ExpBracket exp_bracket(u128 num, std::uint64_t den);

}  // namespace stopover
