#include "privacy/discrete_laplace.h"

#include <algorithm>

#include "privacy/bernoulli.h"
#include "privacy/exp_bracket.h"

namespace stopover {
namespace {

// a b / 2^128, cut off.
u128 product(u128 a, u128 b) {
  const u128 a1 = a >> 64, a0 = static_cast<std::uint64_t>(a), b1 = b >> 64, b0 = static_cast<std::uint64_t>(b);
  const u128 middle = a1 * b0 + (a0 * b0 >> 64);
  return a1 * b1 + (middle >> 64) + ((a0 * b1 + static_cast<std::uint64_t>(middle)) >> 64);
}

}  // namespace

std::int64_t discrete_laplace_reference(Stream& stream, Rate rate) {
  STOPOVER_CHECK(is_valid(rate), "noise rate out of range");
  for (;;) {
    const u128 g = geometric_exp(stream, rate.den) / rate.num;
    const bool negative = (stream.next<std::uint8_t>() & 1) != 0;
    if (negative && g == 0) continue;
    const std::int64_t x = g < kNoiseLimit ? static_cast<std::int64_t>(g) : kNoiseLimit;
    return negative ? -x : x;
  }
}

// Each product cuts off less than 2^-128 and carries the error of both factors on: after m of them power <= a^m < power
// + 3m 2^-128, so top_[m] is the integer part of 2^(kBits-1) a^m or one less.
template <std::unsigned_integral Word>
BasicLaplaceTable<Word>::BasicLaplaceTable(Rate rate) : rate_(rate) {
  STOPOVER_CHECK(is_valid(rate), "noise rate out of range");
  if (static_cast<u128>(rate.num) * 512 < rate.den) {
    while ((static_cast<u128>(rate.num) << shift_) * 16 < rate.den) ++shift_;
  }
  const std::uint64_t steep = rate.num << shift_;
  const auto last = static_cast<std::size_t>(8 * static_cast<u128>(rate.den) / steep + 1);
  const Fraction a = exp_bracket(steep, rate.den).low;
  const u128 factor = static_cast<u128>(a[0]) << 64 | a[1];
  u128 power = factor;
  top_.assign(last + 2, 0);
  for (std::size_t m = 1; m <= last; ++m, power = product(power, factor)) {
    top_[m] = static_cast<Word>(power >> (129 - kBits));
  }
  guide_.resize(std::size_t{1} << kGuideBits);
  std::size_t m = 0;
  for (std::size_t g = guide_.size(); g-- > 0; guide_[g] = static_cast<std::uint16_t>(m)) {
    const std::uint64_t end = static_cast<std::uint64_t>(g + 1) << (kBits - 1 - kGuideBits);
    while (m < last && top_[m + 1] >= end) ++m;
  }
}

template <std::unsigned_integral Word>
std::uint64_t BasicLaplaceTable<Word>::settle(Stream& stream, Word digit, std::uint64_t m) const {
  Fraction low{}, high = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
  std::size_t known = 0;  // bits of V/2 (its first one stands for the sign), which is in [low, high + 2^-256)
  const auto reveal = [&](Word next) {
    const std::size_t place = 64 - kBits - known % 64;
    low[known / 64] |= static_cast<std::uint64_t>(next) << place;
    high[known / 64] ^= static_cast<std::uint64_t>(static_cast<Word>(~next)) << place;
    known += kBits;
  };
  const auto below = [&](std::uint64_t n) {
    const ExpBracket power = exp_bracket(static_cast<u128>(n) * (rate_.num << shift_), rate_.den);
    while (high >= half(power.low)) {
      if (low > half(power.high)) return false;
      STOPOVER_CHECK(known < 256, "a noise draw could not be settled (probability below 2^-230)");
      reveal(stream.next<Word>());
    }
    return true;
  };
  reveal(digit);
  while (m < entries() && below(m + 1)) ++m;
  return m;
}

template <std::unsigned_integral Word>
inline std::uint64_t BasicLaplaceTable<Word>::look_up(Stream& stream, Word word) const {
  const Word digit = static_cast<Word>(word & ~kSign);
  std::uint64_t m = guide_[digit >> (kBits - 1 - kGuideBits)];
  while (digit < top_[m + 1]) ++m;
  if (static_cast<Word>(digit - top_[m + 1]) <= 1) [[unlikely]]
    return settle(stream, digit, m);
  return m;
}

template <std::unsigned_integral Word>
inline std::uint64_t BasicLaplaceTable<Word>::magnitude(Stream& stream, Word word) const {
  std::uint64_t q = look_up(stream, word);
  if (q == entries()) [[unlikely]] {
    constexpr std::uint64_t kLimit = kNoiseLimit;
    std::uint64_t more = q;
    for (; more == entries() && q < kLimit >> shift_; q += more) more = look_up(stream, stream.next<Word>());
    if (q >= kLimit >> shift_) return kLimit;
  }
  if (shift_ == 0) return q;
  for (;;) {
    const std::uint64_t r = stream.next64() >> (64 - shift_);
    if (bernoulli_exp(stream, static_cast<u128>(r) * rate_.num, rate_.den)) return q << shift_ | r;
  }
}

template <std::unsigned_integral Word>
inline std::int64_t BasicLaplaceTable<Word>::draw(Stream& stream) const {
  for (;;) {
    const Word word = stream.next<Word>();
    const std::int64_t g = static_cast<std::int64_t>(magnitude(stream, word));
    const bool negative = word >= kSign;
    if (negative & (g == 0)) continue;
    return negative ? -g : g;
  }
}

template <std::unsigned_integral Word>
void BasicLaplaceTable<Word>::fill(Stream& stream, std::span<std::int64_t> out) const {
  for (std::int64_t& x : out) x = draw(stream);
}

template class BasicLaplaceTable<std::uint64_t>;
template class BasicLaplaceTable<std::uint8_t>;

}  // namespace stopover
