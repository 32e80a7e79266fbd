// NumberSequence: pseudo-random numbers that can be had again, for making data and queries up. Not an entropy: no noise
// of a release ever comes from here.
//
// SplitMix64 (Steele, Lea, Flood 2014): number i of sequence `seed` is a fixed mixture of start + i*step, so a sequence
// is its start and a counter. Everything below uses integers, + - * / and sqrt alone: the same numbers on every
// machine.
#pragma once

#include <cstdint>

namespace stopover {

class NumberSequence {
 public:
  // Sequences of different (seed, branch) have nothing to do with each other.
  explicit NumberSequence(std::uint64_t seed, std::uint64_t branch = 0)
      : at_(mix(mix(seed + kStep) ^ (branch * 0xd1342543de82ef95u + 0x632be59bd9b4e019u))) {}

  std::uint64_t next() { return mix(at_ += kStep); }
  // 0 .. n - 1, all alike. REQUIRES: n > 0.
  std::uint64_t below(std::uint64_t n);
  // [0, 1): a multiple of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double lower, double upper) { return lower + (upper - lower) * uniform(); }
  // Standard normal (Marsaglia's polar method).
  double normal();

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t at_;
  double spare_ = 0;
  bool has_spare_ = false;
};

// The same on every machine, good to about 1e-15: libm's differ in the last bit. REQUIRES: |x| <= 700; x > 0 and
// normal.
double plain_exp(double x);
double plain_log(double x);

}  // namespace stopover
