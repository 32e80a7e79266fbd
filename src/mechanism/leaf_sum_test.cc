#include "mechanism/leaf_sum.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stopover {
namespace {

// Counts that decide for themselves: beliefs are counts, and so is their sum.
TEST(LeafSum, BeliefsThatAreTheirCountsAreSummed) {
  LeafSum sum;
  for (int i = 0; i < 10; ++i) sum.add(50 + i, 2, 50 + i, 2);
  EXPECT_NEAR(sum.value().value, 545, 1e-9);
  EXPECT_NEAR(sum.value().variance, 20, 0.1);
  EXPECT_NEAR(sum.variance_of_beliefs(), 20, 0.1);
}

// A block that was thought to be empty, whose hundred pairs have three trips each: no single count shows it, but their
// sum does. Beliefs that lean on next to nothing are themselves sure.
TEST(LeafSum, CountsOverruleWhatAllLeavesLeanOn) {
  LeafSum doubted, trusted;
  for (int i = 0; i < 100; ++i) {
    doubted.add(0.5, 0.6, 3, 18);  // 50 trips thought, 300 counted with a noise of 42
    trusted.add(0.01, 0.01, 0.1, 18);
  }
  EXPECT_GT(doubted.value().value, 90);
  EXPECT_LT(doubted.value().value, 300);
  EXPECT_NEAR(trusted.value().value, 1, 0.1);
  // Never worse than either alone.
  EXPECT_LT(doubted.value().variance, doubted.variance_of_beliefs());
  EXPECT_LT(doubted.value().variance, 1800);
}

TEST(LeafSum, PartsOfLeavesAddUp) {
  LeafSum sum;
  for (int i = 1; i <= 20; ++i) sum.add(i, 0.5 * i, i + 1, 12);
  double parts = 0;
  for (int i = 1; i <= 20; ++i) parts += sum.belief_variance(i, 0.5 * i, 12);
  EXPECT_NEAR(parts, sum.variance_of_beliefs(), 1e-9);
}

}  // namespace
}  // namespace stopover
