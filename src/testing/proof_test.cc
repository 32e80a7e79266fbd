// The proof must fail where it should: plans that peek, units larger than declared, answers that were changed.
#include "testing/proof.h"

#include <gtest/gtest.h>

#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

constexpr Ticks kEpsilonOne = kTicksPerEpsilon;

// Counts the halves of a strip with all of epsilon.
Release honest(Kernel& kernel) {
  Release release;
  Family root = kernel.view("joint", {0}, kernel.left());
  Family halves = kernel.split(std::move(kernel.open(std::move(root))[0]), 0, {4});
  Table table;
  table.name = "joint";
  table.axes = {0};
  const Ticks ticks = halves.left();
  const auto counts = kernel.count(halves, ticks);
  for (std::size_t i = 0; i < 2; ++i) table.append(halves.box(i), -1, counts[i], ticks, 0);
  release.tables.push_back(table);
  kernel.close();
  return release;
}

class ProofTest : public ::testing::Test {
 protected:
  const Matrix five_ = Trips{.shape = {8}, .cells = {{0}, {1}, {1}, {6}, {7}}}.matrix();
  const Matrix six_ = Trips{.shape = {8}, .cells = {{0}, {1}, {1}, {6}, {7}, {2}}}.matrix();
  const Matrix seven_ = Trips{.shape = {8}, .cells = {{0}, {1}, {1}, {6}, {7}, {2}, {2}}}.matrix();
};

TEST_F(ProofTest, AnHonestPlanHoldsWithALossOfExactlyEpsilon) {
  for (int key = 0; key < 50; ++key) {
    const Proof proof = prove(honest, five_, six_, kEpsilonOne / 2, 1, test_key(std::to_string(key)));
    EXPECT_TRUE(proof.holds()) << proof.text();
    EXPECT_EQ(proof.calls, 1u);
    EXPECT_NEAR(std::abs(static_cast<double>(proof.loss.hi)), 0.5, 1e-15);
    EXPECT_LT(proof.loss.width(), 1e-16L);
  }
}

TEST_F(ProofTest, TwoTripsForOneAreRefuted) {
  int refuted = 0;
  for (int key = 0; key < 50; ++key) {
    const Proof proof = prove(honest, five_, seven_, kEpsilonOne / 2, 1, test_key(std::to_string(key)));
    EXPECT_TRUE(proof.faults.empty());
    refuted += !proof.holds();
    EXPECT_TRUE(prove(honest, five_, seven_, kEpsilonOne / 2, 2, test_key(std::to_string(key))).holds())
        << "declared, it is fine";
  }
  EXPECT_GT(refuted, 30);
}

TEST_F(ProofTest, AOnePercentMistakeIsRefuted) {
  // A kernel at 1.01 epsilon, held to epsilon.
  Proof proof = prove(honest, five_, six_, kEpsilonOne * 101 / 100, 1, test_key("1"));
  EXPECT_TRUE(proof.holds());
  proof.epsilon = kEpsilonOne;
  EXPECT_FALSE(proof.within());
  EXPECT_FALSE(proof.holds());
}

// Plans that know the matrix by other means than the kernel. None of these could be written in src/mechanism.
TEST_F(ProofTest, PlansThatPeekShow) {
  const Matrix* now = nullptr;
  const auto peeking = [&](const std::function<void(Kernel&, Family&, Release&)>& peek) {
    int runs = 0;
    const Plan plan = [&, runs](Kernel& kernel) mutable {
      now = runs++ == 0 ? &five_ : &six_;
      Release release;
      Family family = kernel.split(std::move(kernel.open(kernel.view("joint", {0}, kernel.left()))[0]), 0, {4});
      peek(kernel, family, release);
      kernel.close();
      return release;
    };
    return prove(plan, five_, six_, kEpsilonOne, 1, test_key("peek"));
  };
  const Proof published = peeking([&](Kernel& kernel, Family& family, Release& release) {
    kernel.count(family, family.left());
    release.number = now->total();
  });
  EXPECT_EQ(published.faults, std::vector<std::string>{"the releases differ"});
  const Proof budget = peeking([&](Kernel& kernel, Family& family, Release&) {
    kernel.count(family, kEpsilonOne / (now->total() == 5 ? 2 : 4));
  });
  ASSERT_EQ(budget.faults.size(), 2u);
  EXPECT_NE(budget.faults[0].find("other parameters"), std::string::npos);
  const Proof skipped = peeking([&](Kernel& kernel, Family& family, Release&) {
    if (now->total() == 5) kernel.count(family, kEpsilonOne);
  });
  ASSERT_EQ(skipped.faults.size(), 1u);
  EXPECT_NE(skipped.faults[0].find("not asked for"), std::string::npos);
  const Proof more = peeking([&](Kernel& kernel, Family& family, Release&) {
    if (now->total() == 6) kernel.count(family, kEpsilonOne);
  });
  ASSERT_EQ(more.faults.size(), 1u);
  EXPECT_NE(more.faults[0].find("never recorded"), std::string::npos);
  const Proof cuts = peeking([&](Kernel& kernel, Family& family, Release&) {
    auto regions = kernel.open(std::move(family));
    Family again = kernel.split(std::move(regions[0]), 0,
                                now->total() == 5 ? std::vector<std::uint32_t>{1, 2} : std::vector<std::uint32_t>{1});
    kernel.count(again, kEpsilonOne);
  });
  ASSERT_EQ(cuts.faults.size(), 2u);
  EXPECT_NE(cuts.faults[0].find("another size"), std::string::npos);
  const Proof reveals = peeking([&](Kernel& kernel, Family& family, Release&) {
    kernel.count_gradually(family, kEpsilonOne / 4, kEpsilonOne);
    auto regions = kernel.open(std::move(family));
    if (now->total() == 5) kernel.reveal(regions[0]);
  });
  ASSERT_EQ(reveals.faults.size(), 1u);
  EXPECT_NE(reveals.faults[0].find("other values revealed"), std::string::npos);
}

TEST_F(ProofTest, AGradualCountCostsWhatWasShown) {
  for (bool reveal : {false, true}) {
    const Plan plan = [&](Kernel& kernel) {
      Family family = kernel.split(std::move(kernel.open(kernel.view("joint", {0}, kernel.left()))[0]), 0, {4});
      kernel.count_gradually(family, kEpsilonOne / 4, kEpsilonOne);
      auto regions = kernel.open(std::move(family));
      if (reveal) kernel.reveal(regions[0]);
      kernel.close();
      return Release();
    };
    const Proof proof = prove(plan, five_, six_, kEpsilonOne, 1, test_key("gradual"));
    EXPECT_TRUE(proof.holds());
    EXPECT_NEAR(std::abs(static_cast<double>(proof.loss.hi)), reveal ? 1 : 0.25, 1e-15);
  }
}

TEST(Trips, PairsDifferByOneUnitAndAllSmallOnesAreListed) {
  std::mt19937_64 random(1);
  int added = 0, removed = 0, alone = 0;
  for (int i = 0; i < 500; ++i) {
    const NeighbourPair pair = random_pair(random, 1 + i % 6, 5, 1000);
    const auto a = static_cast<std::int64_t>(pair.first.cells.size()),
               b = static_cast<std::int64_t>(pair.second.cells.size());
    EXPECT_LE(std::abs(a - b), 5);
    EXPECT_NE(a, b);
    added += b > a;
    removed += b < a;
    alone += pair.first.cells.empty();
    EXPECT_EQ(pair.first.matrix().total(), static_cast<std::uint64_t>(a));
  }
  EXPECT_GT(added, 100);
  EXPECT_GT(removed, 100);
  EXPECT_GT(alone, 10);
  EXPECT_EQ(all_trips({2, 4}, 3).size(), 165u);
  EXPECT_EQ(all_trips({3}, 1).size(), 4u);
}

}  // namespace
}  // namespace stopover
