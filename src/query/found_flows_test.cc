#include "query/found_flows.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stopover {
namespace {

TEST(FoundFlows, ReachesToWhatLiesElsewhereByTheMaps) {
  FoundFlows found;
  EXPECT_EQ(found.reach(40), 40);
  // Not told from noise.
  found.add(0.5, 19, 19, 100);
  EXPECT_EQ(found.reach(40), 40);
  // Half of 60 trips lies outside; the noise in the region has a deviation of 5.
  found.add(0.5, 60, 60, 100);
  EXPECT_NEAR(found.reach(40), 50 + 1.5 * 5, 1e-12);
  EXPECT_EQ(found.elsewhere, 0);
  // The count, where the estimate was drawn below it.
  FoundFlows drawn;
  drawn.add(0.5, 50, 60, 100);
  EXPECT_NEAR(drawn.reach(40), 50 + 1.5 * 5, 1e-12);
}

// Up to four partitions hold one flow, which lies in the region or not; nine are several flows.
TEST(FoundFlows, OfManyPartitionsAreSeveralFlows) {
  FoundFlows four, nine;
  for (int i = 0; i < 4; ++i) four.add(0.5, 20, 20, 0);
  for (int i = 0; i < 9; ++i) nine.add(0.5, 20, 20, 0);
  EXPECT_NEAR(four.reach(0), 40, 1e-12);
  EXPECT_NEAR(nine.reach(0), 60, 1e-12);
  FoundFlows both = four;
  both += four;
  EXPECT_NEAR(both.reach(0), 2 * std::sqrt(8 * 100.0), 1e-12);
}

TEST(FoundFlows, WhatMapsPutElsewhereIsKeptApart) {
  FoundFlows found;
  found.add(0.04, 100, 100, 100);
  found.add(0.01, 80, 80, 100);
  EXPECT_DOUBLE_EQ(found.elsewhere, 96);
  EXPECT_EQ(found.missed, 0);
  FoundFlows other;
  other.add(0, 200, 190, 100);
  found += other;
  EXPECT_DOUBLE_EQ(found.elsewhere, 200);
}

}  // namespace
}  // namespace stopover
