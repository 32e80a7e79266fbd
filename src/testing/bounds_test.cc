#include "testing/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "privacy/exp_bracket.h"

namespace stopover {
namespace {

// The first 64 significant bits of a fraction, cut off: value <= f < value + 2^-63 value.
long double cut(const Fraction& f) {
  long double value = 0, place = 1;
  int bits = 0;
  for (std::uint64_t limb : f) {
    for (int i = 63; i >= 0 && bits < 64; --i) {
      place /= 2;
      const bool bit = (limb >> i & 1) != 0;
      if (bit) value += place;
      if (bits > 0 || bit) ++bits;
    }
  }
  return value;
}

TEST(Bounds, ExpHoldsTheExactValueAndIsNarrow) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t den = 1 + random() % 1'000'000'000;
    const std::uint64_t num = 1 + random() % (den * 40);
    const ExpBracket exact = exp_bracket(num, den);
    const Bounds ours = exp(-(Bounds(static_cast<long double>(num)) / Bounds(static_cast<long double>(den))));
    // exact.low < exact.high < cut(exact.high) (1 + 2^-63), rounded up.
    const long double above = std::nextafter(cut(exact.high) * (1 + 0x1p-63L), 1e9L);
    EXPECT_LE(ours.lo, above) << num << "/" << den;
    EXPECT_GE(ours.hi, cut(exact.low)) << num << "/" << den;
    EXPECT_LT(ours.width(), 1e-16L * ours.hi);
    // The middle is right to a few units, so the two comparisons above have room to fail.
    EXPECT_NEAR(static_cast<double>((ours.lo / 2 + ours.hi / 2) / cut(exact.low) - 1), 0, 1e-17);
    // expm1 against the same bracket.
    const Bounds less = expm1(-(Bounds(static_cast<long double>(num)) / Bounds(static_cast<long double>(den))));
    EXPECT_LE(less.lo, above - 1 + 0x1p-63L);
    EXPECT_GE(less.hi, cut(exact.low) - 1 - 0x1p-63L);
    // log undoes it.
    const Bounds back = log(ours) + Bounds(static_cast<long double>(num)) / Bounds(static_cast<long double>(den));
    EXPECT_TRUE(back.contains(0));
    EXPECT_LT(back.width(), 1e-15L);
    const Bounds back1 = log1p(less) + Bounds(static_cast<long double>(num)) / Bounds(static_cast<long double>(den));
    EXPECT_TRUE(back1.contains(0));
  }
}

TEST(Bounds, ArithmeticIncludesRationalTruth) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    // a/b + c/d - (ad + cb)/(bd) = 0 exactly; (a/b)*(b/a) = 1 exactly.
    const auto draw = [&] {
      return static_cast<long double>(1 + random() % 10'000'000) * (random() % 2 != 0 ? 1 : -1);
    };
    const long double a = draw(), b = draw(), c = draw(), d = draw();
    const Bounds zero = Bounds(a) / b + Bounds(c) / d - (Bounds(a) * d + Bounds(c) * b) / (Bounds(b) * d);
    EXPECT_TRUE(zero.contains(0));
    EXPECT_TRUE(((Bounds(a) / b) * (Bounds(b) / a)).contains(1));
    EXPECT_LT(((Bounds(a) / b) * (Bounds(b) / a)).width(), 1e-18L);
  }
  const Bounds third = Bounds(1) / 3;
  EXPECT_LT(third.lo, third.hi);
  const Bounds mixed = Bounds(-2, 3) * Bounds(-5, 7);
  EXPECT_LE(mixed.lo, -15);
  EXPECT_GE(mixed.hi, 21);
  EXPECT_DEATH(Bounds(1) / Bounds(-1, 1), "divided by zero");
}

}  // namespace
}  // namespace stopover
