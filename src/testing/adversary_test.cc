// The adversary keeps to outputs that can happen, and gets out of a call what there is to get.
#include "testing/adversary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "testing/adversarial_dice.h"
#include "testing/proof.h"
#include "testing/trips.h"

namespace stopover {
namespace {

constexpr Rate kFine{3, 10}, kCoarse{1, 10};

// The loss when the adversary answers; checks that the answer can happen on both.
double loss(Tactic tactic, std::uint64_t seed, DiceCall here, DiceCall there, std::size_t size, bool revealed = false) {
  const Adversary adversary(tactic, seed);
  const CallLabel label{{}, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(here.purpose)};
  here.output = there.output = adversary.answer(label, here, there, size);
  EXPECT_TRUE(here.output.size() == size || here.purpose == Purpose::sparse);
  if (revealed) here.revealed.assign(here.truth.size(), true);
  there.revealed = here.revealed;
  EXPECT_TRUE(std::isfinite(here.log_probability().lo)) << static_cast<int>(tactic);
  EXPECT_TRUE(std::isfinite(there.log_probability().lo)) << static_cast<int>(tactic);
  const Bounds loss = here.loss_against(there);
  EXPECT_LT(loss.width(), 1e-13L);
  return static_cast<double>(loss.lo);
}

const std::vector<std::int64_t> kMore = {4, 0, 9, 2}, kLess = {3, 0, 7, 2};

TEST(Adversary, CountsOnOneSideTellAllThereIs) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const Tactic tactic : {Tactic::far_above, Tactic::just_above, Tactic::gain}) {
      EXPECT_NEAR(loss(tactic, seed, DiceCall::count(kFine, kMore), DiceCall::count(kFine, kLess), 4), 0.9, 1e-12);
    }
    for (const Tactic tactic : {Tactic::far_below, Tactic::just_below, Tactic::lose}) {
      EXPECT_NEAR(loss(tactic, seed, DiceCall::count(kFine, kMore), DiceCall::count(kFine, kLess), 4), -0.9, 1e-12);
    }
    // Counts that move both ways: only the greedy ones get all.
    const std::vector<std::int64_t> apart = {5, 0, 7, 2};
    EXPECT_NEAR(loss(Tactic::gain, seed, DiceCall::count(kFine, kMore), DiceCall::count(kFine, apart), 4), 0.9, 1e-12);
    EXPECT_NEAR(loss(Tactic::far_above, seed, DiceCall::count(kFine, kMore), DiceCall::count(kFine, apart), 4), 0.3,
                1e-12);
    EXPECT_LE(std::abs(loss(Tactic::mixed, seed, DiceCall::count(kFine, kMore), DiceCall::count(kFine, kLess), 4)),
              0.9 + 1e-12);
  }
}

TEST(Adversary, GradualCountsTellByTheFinerRateOnceRevealed) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const bool revealed : {false, true}) {
      const auto here = DiceCall::gradual(kFine, kCoarse, kMore), there = DiceCall::gradual(kFine, kCoarse, kLess);
      EXPECT_NEAR(loss(Tactic::gain, seed, here, there, 8, revealed), revealed ? 0.9 : 0.3, 1e-12);
      EXPECT_NEAR(loss(Tactic::far_below, seed, here, there, 8, revealed), revealed ? -0.9 : -0.3, 1e-12);
    }
    // Nothing is left to reveal: the pair must be equal, or it could not happen.
    const auto here = DiceCall::gradual(kFine, kFine, kMore), there = DiceCall::gradual(kFine, kFine, kLess);
    EXPECT_NEAR(loss(Tactic::gain, seed, here, there, 8, true), 0.9, 1e-12);
  }
}

TEST(Adversary, TreesGrowOrDoNotAndChoicesAreTheWorst) {
  const Adversary above(Tactic::far_above, 1), below(Tactic::far_below, 1);
  const DiceCall grow = DiceCall::grow(kFine, kMore);
  EXPECT_EQ(above.answer({}, grow, grow, 4), (std::vector<i128>{1, 1, 1, 1}));
  EXPECT_EQ(below.answer({}, grow, grow, 4), (std::vector<i128>{0, 0, 0, 0}));
  const std::vector<std::uint64_t> here = {5, 0, 9, 3}, there = {3, 2, 9, 4};
  const DiceCall a = DiceCall::choose(here, 1, 8), b = DiceCall::choose(there, 1, 8);
  EXPECT_EQ(above.answer({}, a, b, 1), std::vector<i128>{2});
  EXPECT_EQ(below.answer({}, a, b, 1), std::vector<i128>{1});
  double most = -1e9, least = 1e9;
  for (std::size_t i = 0; i < here.size(); ++i) {
    DiceCall x = a, y = b;
    x.output = y.output = {static_cast<i128>(i)};
    most = std::max(most, static_cast<double>(x.loss_against(y).lo));
    least = std::min(least, static_cast<double>(x.loss_against(y).lo));
  }
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(loss(Tactic::gain, seed, a, b, 1), most);
    EXPECT_EQ(loss(Tactic::lose, seed, a, b, 1), least);
    EXPECT_NEAR(loss(Tactic::mixed, seed, grow, grow, 4), 0, 0);
  }
}

TEST(Adversary, ListsAreAsTheKernelPromises) {
  const std::vector<NumberedCount> here = {{0, 2}, {17, 4}}, there = {{17, 3}, {900, 1}};
  const DiceCall a = DiceCall::sparse(kFine, 40, 1000, here), b = DiceCall::sparse(kFine, 40, 1000, there);
  for (int tactic = 0; tactic < kTactics; ++tactic) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const auto output = Adversary(static_cast<Tactic>(tactic), seed).answer({}, a, b, 2);
      ASSERT_GE(output.size(), 2u);
      EXPECT_TRUE(output[0] == 0);
      for (std::size_t i = 2; i < output.size(); i += 2) {
        EXPECT_TRUE(output[i] > output[i - 2] && output[i] < 1000);
        EXPECT_TRUE(output[i + 1] >= 40 || output[i + 1] <= -40);
      }
      const double told = loss(static_cast<Tactic>(tactic), seed, a, b, 2);
      EXPECT_LE(std::abs(told), 4 * 0.3 + 1e-12);
    }
  }
}

// Both runs of an honest plan meet in every call; runs that part ways end all the same.
TEST(AdversarialDice, GoInStepAndNeverWaitForEver) {
  const Matrix five = Trips{{8}, {{0}, {1}, {1}, {6}, {7}}, 0}.matrix();
  const Matrix six = Trips{{8}, {{0}, {1}, {1}, {6}, {7}, {2}}, 0}.matrix();
  const auto halves = [](Kernel& kernel) {
    return kernel.split(std::move(kernel.open(kernel.view("joint", {0}, kernel.left()))[0]), 0, {4});
  };
  const Plan honest = [&](Kernel& kernel) {
    Family family = halves(kernel);
    kernel.count(family, family.left());
    kernel.close();
    return Release();
  };
  // Every run asks once more than the one before.
  std::atomic<int> runs = 0;
  const Plan peeking = [&](Kernel& kernel) {
    Family family = halves(kernel);
    kernel.count(family, kernel.epsilon() / 10);
    auto regions = kernel.open(std::move(family));
    for (int left = runs++; left >= 0; --left) kernel.count_parts(regions[0], {}, kernel.epsilon() / 10);
    kernel.close();
    return Release();
  };
  for (int tactic = 0; tactic < kTactics; ++tactic) {
    const Adversary adversary(static_cast<Tactic>(tactic), 5);
    const Proof proof = prove(honest, five, six, kTicksPerEpsilon / 2, 1, adversary);
    EXPECT_TRUE(proof.holds()) << proof.text();
    EXPECT_NEAR(static_cast<double>(proof.share()), 1, 1e-12);
    EXPECT_FALSE(prove(honest, five, six, kTicksPerEpsilon / 2, 2, adversary).share() > 0.5001L)
        << "half of a unit of two";
    runs = 0;
    EXPECT_FALSE(prove(peeking, five, six, kTicksPerEpsilon, 1, adversary).faults.empty());
  }
}

}  // namespace
}  // namespace stopover
