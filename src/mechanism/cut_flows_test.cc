#include "mechanism/cut_flows.h"

#include <gtest/gtest.h>

#include <numeric>

namespace stopover {
namespace {

constexpr double kTicksToRate = 1e-9;
constexpr Ticks kTicks = 500'000'000;  // a rate of 0.5: noise of deviation 2.8

// A followed box of 100 x 100 cells, cut at x = 50; the base is even.
class CutFlows : public testing::Test {
 protected:
  CutFlows() {
    table_.axes = {0, 1};
    table_.lo.resize(2);
    table_.hi.resize(2);
    add({{0, 100}, {0, 100}}, -1, 100, false);
  }
  std::size_t add(std::vector<Interval> sides, std::int32_t parent, double estimate, bool followed) {
    const Box box(sides);
    const std::size_t row = table_.append(box, parent, static_cast<std::int64_t>(estimate), kTicks, 0);
    table_.estimate[row] = estimate;
    mu_.push_back(mass(box));
    followed_.push_back(followed);
    return row;
  }
  static double mass(const Box& box) { return static_cast<double>(box.volume()) / 10'000; }
  void gather(std::size_t most_rows = 1000) {
    gather_cut_flows(table_, {mu_, followed_}, kTicksToRate, most_rows, &CutFlows::mass);
  }
  // What is estimated to lie in a box, trips of a leaf evenly.
  double asked(std::vector<Interval> sides) const {
    double sum = 0;
    const std::vector<bool> leaves = table_.leaves();
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      if (!leaves[row]) continue;
      double share = table_.estimate[row];
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const Interval side = table_.box(row)[axis];
        share *= intersect(side, sides[axis]).width() / static_cast<double>(side.width());
      }
      sum += share;
    }
    return sum;
  }

  Table table_;
  std::vector<double> mu_;
  std::vector<bool> followed_;
};

TEST_F(CutFlows, WhatACutWentThroughLiesAtTheCut) {
  followed_[0] = true;
  const std::size_t west = add({{0, 50}, {0, 100}}, 0, 60, false), east = add({{50, 100}, {0, 100}}, 0, 40, false);
  // With every trip explained there is nothing to gather.
  gather();
  EXPECT_EQ(table_.rows(), 3u);
  table_.estimate = {10, 0, 0};
  table_.estimate[west] = 60;
  table_.estimate[east] = 40;
  gather();
  // Two parts each: five cells at the cut, and the rest. The base's 5 trips of either side stay where it has them.
  ASSERT_EQ(table_.rows(), 7u);
  EXPECT_NEAR(asked({{45, 50}, {0, 100}}), 55.5, 1e-9);
  EXPECT_NEAR(asked({{50, 55}, {0, 100}}), 35.5, 1e-9);
  EXPECT_NEAR(asked({{0, 50}, {0, 100}}), 60, 1e-9);
  EXPECT_NEAR(asked({{0, 100}, {0, 100}}), 100, 1e-9);
  for (std::size_t row = 3; row < 7; ++row) {
    EXPECT_EQ(table_.row_ticks[row], 0);
    EXPECT_EQ(table_.count[row], 0);
  }
}

// Three parts that meet in a point: what is beside it on every axis.
TEST_F(CutFlows, EveryNeighbourNarrowsThePlace) {
  followed_[0] = true;
  add({{0, 50}, {0, 40}}, 0, 50, false);
  add({{0, 50}, {40, 100}}, 0, 50, false);
  add({{50, 100}, {0, 40}}, 0, 50, false);
  add({{50, 100}, {40, 100}}, 0, 0, false);
  table_.estimate[0] = 10;
  gather();
  EXPECT_GT(asked({{45, 50}, {35, 40}}), 45);
  EXPECT_GT(asked({{45, 50}, {40, 45}}), 40);
  EXPECT_GT(asked({{50, 55}, {35, 40}}), 40);
  const std::vector<bool> leaves = table_.leaves();
  double cells = 0;
  for (std::size_t row = 0; row < table_.rows(); ++row) {
    if (leaves[row]) cells += static_cast<double>(table_.box(row).volume());
  }
  EXPECT_EQ(cells, 10'000);
}

TEST_F(CutFlows, OnlyFollowedNeighboursWithAnExcessAreGathered) {
  const std::size_t west = add({{0, 50}, {0, 100}}, 0, 60, false), east = add({{50, 100}, {0, 100}}, 0, 40, false);
  table_.estimate[0] = 10;
  gather();
  EXPECT_EQ(table_.rows(), 3u);  // not followed
  followed_[0] = true;
  table_.estimate[east] = 11;  // an excess of 6, of a noise of deviation 2.8
  gather();
  EXPECT_EQ(table_.rows(), 3u);
  table_.estimate[east] = 40;
  gather(4);
  EXPECT_EQ(table_.rows(), 3u);  // no room
  gather(5);
  EXPECT_EQ(table_.rows(), 5u);  // room for one of the two
  EXPECT_NE(table_.leaves()[west], table_.leaves()[east]);
}

// A flow of many trips is not moved to a little noise beside it, but that is to the flow.
TEST_F(CutFlows, NoiseMovesNoFlow) {
  followed_[0] = true;
  const std::size_t flow = add({{0, 50}, {0, 100}}, 0, 400, false), little = add({{50, 100}, {0, 100}}, 0, 20, false);
  table_.estimate[0] = 10;
  gather();
  EXPECT_TRUE(table_.leaves()[flow]);
  EXPECT_FALSE(table_.leaves()[little]);
}

// Boxes that do not touch are two flows; narrow sides are told finely enough.
TEST_F(CutFlows, TwoFlowsStayWhereTheyAre) {
  followed_[0] = true;
  add({{0, 40}, {0, 100}}, 0, 60, false);
  add({{40, 60}, {0, 100}}, 0, 0, false);
  add({{60, 100}, {0, 100}}, 0, 60, false);
  table_.estimate[0] = 10;
  gather();
  EXPECT_EQ(table_.rows(), 4u);
}

// Where the base is wrong all over, boxes with an excess touch many others: nothing is known of where it lies.
TEST_F(CutFlows, ManyNeighboursAreNoFlow) {
  followed_[0] = true;
  add({{0, 40}, {0, 100}}, 0, 60, false);
  for (std::uint32_t i = 0; i < 4; ++i) add({{40, 100}, {25 * i, 25 * i + 25}}, 0, 60, false);
  table_.estimate[0] = 10;
  gather();
  std::vector<bool> leaves = table_.leaves();
  EXPECT_TRUE(leaves[1]);
  EXPECT_FALSE(leaves[2]);
}

// Neighbours are counted that are too little to be gathered at.
TEST_F(CutFlows, SmallNeighboursCountToo) {
  followed_[0] = true;
  const Table only_root = table_;
  for (const double small : {7.0, 4.0}) {  // 1.5 of them explained, and noise of deviation 2.8
    table_ = only_root;
    mu_.resize(1);
    followed_.resize(1);
    add({{0, 40}, {0, 100}}, 0, 60, false);
    add({{40, 100}, {0, 25}}, 0, 60, false);
    for (std::uint32_t i = 1; i < 4; ++i) add({{40, 100}, {25 * i, 25 * i + 25}}, 0, small, false);
    table_.estimate[0] = 10;
    gather();
    EXPECT_EQ(table_.leaves()[1], small == 7);
  }
}

TEST_F(CutFlows, NarrowSidesAreLeft) {
  followed_[0] = true;
  add({{0, 12}, {0, 100}}, 0, 60, false);
  add({{12, 24}, {0, 100}}, 0, 60, false);
  add({{24, 100}, {0, 100}}, 0, 0, false);
  table_.estimate[0] = 10;
  gather();
  EXPECT_EQ(table_.rows(), 4u);
}

}  // namespace
}  // namespace stopover
