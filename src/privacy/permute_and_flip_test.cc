// Every p-value here is compared with kFalseAlarm = 1e-9; keys are fixed.
#include "privacy/permute_and_flip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "testing/goodness_of_fit.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

// By definition: the mean over all orders of the chance that everybody before is passed over.
std::vector<long double> selection_law(const std::vector<std::uint64_t>& penalties, long double rate) {
  const std::uint64_t best = *std::ranges::min_element(penalties);
  std::vector<std::size_t> order(penalties.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<long double> law(penalties.size());
  long double orders = 0;
  do {
    long double reached = 1;
    for (std::size_t i : order) {
      const long double taken = std::exp(-static_cast<long double>(penalties[i] - best) * rate);
      law[i] += reached * taken;
      reached *= 1 - taken;
    }
    ++orders;
  } while (std::ranges::next_permutation(order).found);
  for (long double& p : law) p /= orders;
  return law;
}

std::vector<std::uint64_t> choices(Stream& stream, const std::vector<std::uint64_t>& penalties, u128 num, u128 den,
                                   int n) {
  std::vector<std::uint64_t> seen(penalties.size());
  for (int i = 0; i < n; ++i) ++seen.at(permute_and_flip(stream, penalties, num, den));
  return seen;
}

TEST(PermuteAndFlip, FollowsTheEnumeratedLaw) {
  Stream stream(test_key("permute and flip"), {});
  const std::vector<std::uint64_t> cases[] = {{7},        {0, 1}, {5, 5, 5}, {3, 0, 1, 2}, {10, 11, 11, 30, 12, 10},
                                              {0, 100, 1}};
  const struct {
    u128 num, den;
  } rates[] = {{0, 1}, {1, 10}, {1, 2}, {7, 3}, {100'000'000, 4'000'000'000}, {(u128{1} << 64) - 1, u128{1} << 65}};
  for (const auto& penalties : cases) {
    for (const auto& [num, den] : rates) {
      const long double rate =
          static_cast<long double>(static_cast<std::uint64_t>(num)) /
          (den >> 64 ? std::ldexp(1.0L, 65) : static_cast<long double>(static_cast<std::uint64_t>(den)));
      const auto seen = choices(stream, penalties, num, den, 100'000);
      EXPECT_GT(chi_square(seen, selection_law(penalties, rate)).p_value, kFalseAlarm)
          << penalties.size() << " candidates, rate " << static_cast<double>(rate);
    }
  }
}

// Only gaps count, and the widest gap at the widest rate does not wrap around.
TEST(PermuteAndFlip, ExtremePenalties) {
  Stream stream(test_key("permute and flip"), {});
  constexpr std::uint64_t kMax = UINT64_MAX;
  EXPECT_EQ(choices(stream, {kMax, 0, kMax}, kMax, 1, 1000), (std::vector<std::uint64_t>{0, 1000, 0}));
  EXPECT_EQ(choices(stream, {kMax, kMax - 1'000}, 1, 1, 1000), (std::vector<std::uint64_t>{0, 1000}));
  const auto seen = choices(stream, {kMax, kMax - 1}, 1, 2, 100'000);
  EXPECT_GT(chi_square(seen, selection_law({1, 0}, 0.5L)).p_value, kFalseAlarm);
  // gap * num = (2^64 - 1)^2 over den = 2^127: exponent just below 2.
  const auto wide = choices(stream, {kMax, 0}, kMax, u128{1} << 127, 100'000);
  EXPECT_GT(chi_square(wide, selection_law({1, 0}, 2.0L)).p_value, kFalseAlarm);
}

TEST(PermuteAndFlip, SameWordsSameChoice) {
  const std::vector<std::uint64_t> penalties{3, 1, 2, 1, 9};
  for (std::uint32_t call = 0; call < 50; ++call) {
    Stream a(test_key("replay"), {root_path(0), call, 0}), b(test_key("replay"), {root_path(0), call, 0});
    EXPECT_EQ(permute_and_flip(a, penalties, 1, 5), permute_and_flip(b, penalties, 1, 5));
  }
}

TEST(PermuteAndFlipDeathTest, RefusesNonsense) {
  Stream stream(test_key("permute and flip"), {});
  const std::vector<std::uint64_t> none, two{0, 1};
  EXPECT_DEATH(permute_and_flip(stream, none, 1, 1), "no candidates");
  EXPECT_DEATH(permute_and_flip(stream, two, 1, 0), "out of range");
  EXPECT_DEATH(permute_and_flip(stream, two, u128{1} << 64, 1), "out of range");
}

}  // namespace
}  // namespace stopover
