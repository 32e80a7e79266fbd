// Exact discrete Laplace noise, twice.
//
//   P(X = x) = (1 - a)/(1 + a) a^|x|,   a = exp(-lambda), x any integer.
//
// Both samplers draw a sign and a geometric magnitude, P(G = g) = (1 - a) a^g, and start over on "minus zero"; so 0 has
// the weight of one value, not of two. They share nothing else but the words (and, below rate 1/512, the coin that
// keeps a remainder), and are tested against each other:
//
//   discrete_laplace_reference   Canonne-Kamath-Steinke: coins only, no tables. For few draws at a rate.
//   LaplaceTable                 inversion of the geometric law. Several times faster a draw; making the table costs as
//                                much as 80 reference draws, 400 near rate 1/512.
//
// Values beyond +-kNoiseLimit are clamped; with a valid rate that has probability below 2^-5900 (rate.h).
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "privacy/rate.h"
#include "privacy/stream.h"

namespace stopover {

// Two noises still add without overflow.
inline constexpr std::int64_t kNoiseLimit = (std::int64_t{1} << 62) - 1;

// REQUIRES: is_valid(rate).
std::int64_t discrete_laplace_reference(Stream& stream, Rate rate);

// One word gives a sign (top bit) and the leading bits of a uniform V in [0, 1); G = number of m >= 1 with V < a^m.
//
// * The leading bits of a^m are kept for m <= entries(); a guide by V's leading bits says where to start looking. A
//   word that leaves V < a^m open (a tie) is settled by further words against exp_bracket, 255 bits in all.
// * What 255 bits do not settle aborts the process. That has probability below 2^-230 a draw, does not depend on any
//   count, and besides the clamp is the only departure from the exact law.
// * V < a^m for the last entry: the rest of G is a fresh geometric draw (memoryless).
// * Small rates: G = q 2^s + r with independent q (a geometric of rate 2^s lambda, from the table) and r < 2^s
//   (P(r) ~ a^r: uniform, kept with probability a^r > 0.88). So the table has at most 4,097 entries and is made in at
//   most some 30 us at any rate.
//
// Immutable: one table may serve many threads, each with its own stream. `Word` is the width of a draw: 64 bits in use;
// 8 bits make ties common and exist for the tests.
template <std::unsigned_integral Word>
class BasicLaplaceTable {
 public:
  // REQUIRES: is_valid(rate).
  explicit BasicLaplaceTable(Rate rate);

  std::int64_t draw(Stream& stream) const;
  // The same values as draw() one after the other, faster.
  void fill(Stream& stream, std::span<std::int64_t> out) const;

  std::size_t entries() const { return top_.size() - 2; }
  // The integer part of 2^(width-1) a^(m 2^s), or one less. REQUIRES: 1 <= m <= entries().
  Word threshold(std::size_t m) const { return top_[m]; }

 private:
  static constexpr int kBits = 8 * sizeof(Word);
  static constexpr int kGuideBits = kBits < 12 ? kBits - 2 : 10;
  static constexpr Word kSign = Word(Word{1} << (kBits - 1));

  std::uint64_t magnitude(Stream& stream, Word word) const;
  std::uint64_t look_up(Stream& stream, Word word) const;
  std::uint64_t settle(Stream& stream, Word digit, std::uint64_t m) const;

  Rate rate_;
  int shift_ = 0;                     // s above
  std::vector<Word> top_;             // top_[m] <= 2^(kBits-1) a^(m 2^s) < top_[m] + 2; then a zero
  std::vector<std::uint16_t> guide_;  // the largest m with V < a^(m 2^s) for all V of these leading bits
};

using LaplaceTable = BasicLaplaceTable<std::uint64_t>;

}  // namespace stopover
