#include "query/certified_interval.h"

#include <gtest/gtest.h>

#include "query/probed_interval.h"

namespace stopover {
namespace {

constexpr std::size_t kCells = Probes::kGroups * Probes::kClasses;

// Beyond 8 scales above lie 2 % at most, beyond 4 below 2 %; within that anything may be.
Probes table() {
  Probes probes;
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    probes.missed_above.insert(probes.missed_above.end(), {1, 0.9, 0.5, 0.2, 0.1, 0.02});
    probes.missed_below.insert(probes.missed_below.end(), {1, 0.9, 0.5, 0.2, 0.02});
  }
  return probes;
}

// A scale of 10.
Answer answer(double estimate) {
  Answer a;
  a.estimate = a.unprojected = estimate;
  a.placement.clump = 49.5;
  return a;
}

constexpr QuestionShape kBox{.free_stops = 0, .least_share = 0.01, .cuts_cells = false};

TEST(CertifiedInterval, IsTheShortestThatHoldsAsOftenAsAsked) {
  const auto sure = certified_interval(table(), answer(1000), kBox, 2, 0.95);
  ASSERT_TRUE(sure);
  EXPECT_DOUBLE_EQ(sure->lower, 1000 - 40);
  EXPECT_DOUBLE_EQ(sure->upper, 1000 + 80);
  EXPECT_DOUBLE_EQ(sure->share, 0.95);
  EXPECT_DOUBLE_EQ(sure->sure, 0.999);
  // For 80 % nearer edges do: 2 and 10 % are missed at most.
  const auto less = certified_interval(table(), answer(1000), kBox, 2, 0.8);
  EXPECT_DOUBLE_EQ(less->lower, 1000 - 40);
  EXPECT_DOUBLE_EQ(less->upper, 1000 + 40);
}

TEST(CertifiedInterval, FromZeroOnNothingIsMissedBelow) {
  const auto sure = certified_interval(table(), answer(20), kBox, 2, 0.97);
  ASSERT_TRUE(sure);
  EXPECT_EQ(sure->lower, 0);
  EXPECT_DOUBLE_EQ(sure->upper, 20 + 80);
  EXPECT_DOUBLE_EQ(sure->share, 0.97);
}

TEST(CertifiedInterval, SaysWhatCanBeHadWhereTheLevelCannot) {
  const auto sure = certified_interval(table(), answer(1000), kBox, 2, 0.99);
  ASSERT_TRUE(sure);
  EXPECT_EQ(sure->lower, 0);
  EXPECT_DOUBLE_EQ(sure->share, 0.98);
}

TEST(CertifiedInterval, IsForBoxesThatAreLikeTheProbes) {
  EXPECT_FALSE(certified_interval(Probes{}, answer(1000), kBox, 2, 0.95)) << "made before there were certificates";
  QuestionShape shape = kBox;
  shape.cuts_cells = true;
  EXPECT_FALSE(certified_interval(table(), answer(1000), shape, 2, 0.95));
  shape = kBox;
  shape.least_share = 1e-6;
  EXPECT_FALSE(certified_interval(table(), answer(1000), shape, 2, 0.95));
  shape = kBox;
  shape.free_stops = 2;
  EXPECT_FALSE(certified_interval(table(), answer(1000), shape, 2, 0.95));
  Probes loud = table();
  for (double& share : loud.missed_above) share = 1;
  EXPECT_FALSE(certified_interval(loud, answer(1000), kBox, 2, 0.95)) << "too noisy to prove anything";
}

}  // namespace
}  // namespace stopover
