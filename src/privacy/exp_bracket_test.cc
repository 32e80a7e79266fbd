#include "privacy/exp_bracket.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stopover {
namespace {

// high - low in ulps of 2^-256, when it fits.
std::uint64_t width(const ExpBracket& b) {
  if (b.low[2] == b.high[2]) return b.high[3] - b.low[3];
  return b.high[2] == b.low[2] + 1 ? b.high[3] - b.low[3] : UINT64_MAX;
}

long double value(const Fraction& f) {
  return std::ldexp(static_cast<long double>(f[0]), -64) + std::ldexp(static_cast<long double>(f[1]), -128);
}

TEST(Fraction, Halves) {
  EXPECT_EQ(half({1, 3, 5, 7}),
            (Fraction{0, std::uint64_t{1} << 63 | 1, std::uint64_t{1} << 63 | 2, std::uint64_t{1} << 63 | 3}));
  EXPECT_EQ(half({0x8000000000000002, 2, 4, 9}), (Fraction{0x4000000000000001, 1, 2, 4}));
}

// floor(2^256 exp(-num/den)), computed with 120 decimal digits by another program.
TEST(ExpBracket, HoldsKnownValues) {
  const struct {
    u128 num;
    std::uint64_t den;
    Fraction expected;
  } cases[] = {
      {1, 1, {0x5e2d58d8b3bcdf1a, 0xbadec7829054f90d, 0xda9805aab56c7733, 0x3024b9d0a507daed}},
      {1, 10, {0xe7a36ccea959d401, 0x51e5380f2cede803, 0xb3319390a1726976, 0xbfd31c43e9b1886a}},
      {1, 3, {0xb76e989179752689, 0xc5984c9c50ebe4c9, 0xa86a1feb960e6212, 0x1fe12615380ce967}},
      {7, 2, {0x07bb0406393fd97d, 0xa56bd480d6949b8f, 0x64595cce050c9e70, 0xb45b9935921ad192}},
      {100, 1, {0, 0, 0x0000d460f8a7157a, 0xe579eec89bae3a7e}},
      {170, 1, {0, 0, 0, 0x6b0}},
      {1, std::uint64_t{1} << 50, {0xffffffffffffc000, 0x0000000007ffffff, 0xffffff5555555555, 0x555fffffffffffff}},
  };
  for (const auto& c : cases) {
    const ExpBracket b = exp_bracket(c.num, c.den);
    EXPECT_LE(b.low, c.expected);
    EXPECT_GT(b.high, c.expected);
    EXPECT_LE(width(b), 8192u);
  }
}

TEST(ExpBracket, UnreducedFractionsAgreeAndHugeExponentsVanish) {
  const ExpBracket plain = exp_bracket(7, 2);
  const std::uint64_t big = std::uint64_t{1} << 60;
  const ExpBracket same = exp_bracket(static_cast<u128>(7) * big, 2 * big);
  EXPECT_EQ(plain.low, same.low);
  EXPECT_EQ(plain.high, same.high);
  for (u128 num : {u128{256}, u128{1000}, u128{1} << 126}) {
    EXPECT_EQ(exp_bracket(num, 1).low, Fraction{});
    EXPECT_EQ(exp_bracket(num, 1).high, (Fraction{0, 0, 0, 4096}));
  }
}

TEST(ExpBracket, FollowsTheLibraryOverManyExponents) {
  for (std::uint64_t num = 1; num < 3'000; num += 7) {
    const ExpBracket b = exp_bracket(num, 97);
    const long double expected = std::exp(-static_cast<long double>(num) / 97);
    EXPECT_NEAR(static_cast<double>(value(b.low) / expected), 1, 1e-16) << num;
    EXPECT_LE(width(b), 8192u);
  }
}

}  // namespace
}  // namespace stopover
