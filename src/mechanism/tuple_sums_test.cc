#include "mechanism/tuple_sums.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

// Two axes of three zones; leaves: every pair of the first two zones of the first axis, and one of the third as a
// whole.
struct Example {
  ZoneModel model;
  Table joint;
  TupleSums sums;

  explicit Example(double believed, std::vector<std::int64_t> first, std::vector<std::int64_t> second) {
    joint.axes = {0, 1};
    joint.lo.resize(2);
    joint.hi.resize(2);
    add({0, 3}, {0, 3}, -1, 0);
    for (std::uint32_t i = 0; i < 2; ++i) {
      for (std::uint32_t j = 0; j < 3; ++j) add({i, i + 1}, {j, j + 1}, 0, believed);
    }
    add({2, 3}, {0, 3}, 0, believed);
    model.margin_rate = 1;
    model.axes.push_back({0, 3, {0, 3}, std::move(first), {10, 10, 10}, {}, {}});
    model.axes.push_back({1, 3, {0, 3}, std::move(second), {20, 20, 10}, {}, {}});
    for (std::size_t leaf = 0; leaf + 1 < joint.rows(); ++leaf) {
      sums.leaves.emplace_back().add(believed, 4, believed, 200);
      sums.variance.push_back(4);
      sums.block_of.push_back(0);
    }
    sums.blocks = {{{0, std::numeric_limits<double>::infinity()}}};
    sums.all = {{0, std::numeric_limits<double>::infinity()}};
  }
  void add(Interval i, Interval j, std::int32_t parent, double estimate) {
    const Interval sides[] = {i, j};
    joint.append(Box(sides), parent, 0, 0, 0);
    joint.estimate.back() = estimate;
  }
  double leaf(std::size_t number) const { return joint.estimate[1 + number]; }
};

// Beliefs that lean on others are moved to counts that are surer than they are, zone by zone; a leaf of several zones
// gives each its share.
TEST(TupleSums, ZonesHoldWhatWasCounted) {
  Example of(100, {600, 300, 100}, {440, 360, 200});
  reconcile_tuples(of.model, of.joint, 1, of.sums);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(of.leaf(3 * i) + of.leaf(3 * i + 1) + of.leaf(3 * i + 2), i == 0 ? 600 : 300, 12);
  EXPECT_NEAR(of.leaf(6), 100, 12);
  const double of_last[] = {0.4, 0.4, 0.2}, counted[] = {440, 360, 200};
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_NEAR(of.leaf(j) + of.leaf(3 + j) + of_last[j] * of.leaf(6), counted[j], 12);
}

TEST(TupleSums, NothingBecomesNegative) {
  Example of(1, {-500, 2, 3}, {-400, -100, 5});
  reconcile_tuples(of.model, of.joint, 1, of.sums);
  for (std::size_t leaf = 0; leaf < 7; ++leaf) EXPECT_GE(of.leaf(leaf), 0);
}

// Where nothing else was counted, the number of all trips is what leaves are moved to.
TEST(TupleSums, WithoutCountsOfZonesAllTripsAreHeld) {
  Example of(100, {}, {});
  of.sums.all = {{1400, 1}};
  reconcile_tuples(of.model, of.joint, 1, of.sums);
  double sum = 0;
  for (std::size_t leaf = 0; leaf < 7; ++leaf) sum += of.leaf(leaf);
  EXPECT_NEAR(sum, 1400, 25);
}

}  // namespace
}  // namespace stopover
