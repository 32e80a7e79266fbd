#include "privacy/exp_bracket.h"

#include "base/check.h"

namespace stopover {
namespace {

// (remainder + a)/divisor, for 0 <= remainder < divisor; too small by less than one ulp = 2^-256.
Fraction quotient(std::uint64_t remainder, const Fraction& a, std::uint64_t divisor) {
  Fraction out;
  for (std::size_t i = 0; i < 4; ++i) {
    const u128 t = (static_cast<u128>(remainder) << 64) | a[i];
    out[i] = static_cast<std::uint64_t>(t / divisor);
    remainder = static_cast<std::uint64_t>(t % divisor);
  }
  return out;
}

}  // namespace

Fraction product(const Fraction& a, const Fraction& b) {
  std::array<std::uint64_t, 8> out{};  // least significant first
  for (std::size_t i = 0; i < 4; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const u128 t = static_cast<u128>(a[3 - i]) * b[3 - j] + out[i + j] + carry;
      out[i + j] = static_cast<std::uint64_t>(t);
      carry = static_cast<std::uint64_t>(t >> 64);
    }
    out[i + 4] = carry;
  }
  return {out[7], out[6], out[5], out[4]};
}

Fraction difference(const Fraction& a, const Fraction& b, bool& borrow) {
  Fraction out;
  borrow = false;
  for (std::size_t i = 4; i-- > 0;) {
    const u128 t = static_cast<u128>(a[i]) - b[i] - (borrow ? 1 : 0);
    out[i] = static_cast<std::uint64_t>(t);
    borrow = (t >> 64) != 0;
  }
  return out;
}

// The error, in ulps:
//   y = x/256 < 1 is cut off below one ulp: exp(-y) is off by at most 1.
//   g = 1 - exp(-y) by Horner, g_{k-1} = (y - y g_k)/k from g_58 = 0 down to g_0 = g. A step turns an error e into at
//   most e/k + 1/k + 1 (one product, one quotient, both cut off): at most 3 for k >= 2, at most 5 for g_0. The series
//   cut at 58 terms adds 1/59! < 2^-266, below 1. Sum: 7. Squaring turns an error e into at most 2e + 2 (the 2 covers
//   e^2 and the cut): after 8 of them 256*7 + 2*255 = 2302.
// So the value lies within kError = 4096 ulps = 2^-244 of the result.
ExpBracket exp_bracket(u128 num, std::uint64_t den) {
  STOPOVER_CHECK(num > 0 && den > 0, "exponent out of range");
  constexpr std::uint64_t kTerms = 58;
  constexpr Fraction kError = {0, 0, 0, 4096};
  constexpr Fraction kOne = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
  bool borrow = false;
  Fraction value{};  // exp(-256) < 2^-369 is zero within the error
  if (num / den < 256) {
    const Fraction x = quotient(static_cast<std::uint64_t>(num % den), {}, den);
    const Fraction y = quotient(static_cast<std::uint64_t>(num / den), x, 256);
    Fraction g{};
    for (std::uint64_t k = kTerms; k > 0; --k) g = quotient(0, difference(y, product(y, g), borrow), k);
    value = difference({}, g, borrow);  // 1 - g; g > 0 because y is
    for (int i = 0; i < 8; ++i) value = product(value, value);
  }
  ExpBracket out;
  out.low = difference(value, kError, borrow);
  if (borrow) out.low = {};
  const Fraction room = difference(kOne, value, borrow);
  out.high = room < kError ? kOne : difference(value, difference({}, kError, borrow), borrow);
  return out;
}

}  // namespace stopover
