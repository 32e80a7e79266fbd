#include "privacy/bernoulli.h"

#include <bit>

namespace stopover {
namespace {

// Lemire's multiply-and-reject: of the 2^64 words, 2^64 mod n are rejected and n equal shares remain.
std::uint64_t uniform_below_64(Stream& stream, std::uint64_t n) {
  u128 product = static_cast<u128>(stream.next64()) * n;
  if (static_cast<std::uint64_t>(product) < n) [[unlikely]] {
    const std::uint64_t surplus = -n % n;
    while (static_cast<std::uint64_t>(product) < surplus) product = static_cast<u128>(stream.next64()) * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

// exp(-num/den) for num <= den: the first k with a false coin of probability num/(den k) is odd. The coin is two coins,
// num/den and 1/k.
bool bernoulli_exp_fraction(Stream& stream, u128 num, u128 den) {
  std::uint64_t k = 1;
  while ((num == den || uniform_below(stream, den) < num) && (k == 1 || uniform_below_64(stream, k) == 0)) ++k;
  return k % 2 == 1;
}

}  // namespace

u128 uniform_below(Stream& stream, u128 n) {
  STOPOVER_CHECK(n > 0, "uniform draw from nothing");
  if (n <= UINT64_MAX) return uniform_below_64(stream, static_cast<std::uint64_t>(n));
  const int spare = std::countl_zero(static_cast<std::uint64_t>((n - 1) >> 64));
  for (;;) {
    const u128 high = spare == 64 ? 0 : stream.next64() >> spare;
    const u128 value = (high << 64) | stream.next64();
    if (value < n) return value;
  }
}

bool bernoulli_exp(Stream& stream, u128 num, u128 den) {
  STOPOVER_CHECK(den > 0, "exponent divided by zero");
  for (u128 whole = num / den; whole > 0; --whole) {
    if (!bernoulli_exp_fraction(stream, 1, 1)) return false;
  }
  return bernoulli_exp_fraction(stream, num % den, den);
}

u128 geometric_exp(Stream& stream, std::uint64_t den) {
  std::uint64_t rest = uniform_below_64(stream, den);
  while (!bernoulli_exp_fraction(stream, rest, den)) rest = uniform_below_64(stream, den);
  u128 result = rest;
  while (bernoulli_exp_fraction(stream, 1, 1)) result += den;
  return result;
}

}  // namespace stopover
