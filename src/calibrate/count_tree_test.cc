#include "calibrate/count_tree.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stopover {
namespace {

// A root of `parts` leaves of equal share, counted with that variance.
CountTree family(const std::vector<double>& counts, double variance) {
  CountTree tree;
  CountTree::Node root;
  root.first = 1;
  root.last = static_cast<std::uint32_t>(counts.size() + 1);
  tree.nodes.push_back(root);
  for (double count : counts) {
    CountTree::Node leaf;
    leaf.count = count;
    leaf.variance = variance;
    leaf.share = 1.0 / static_cast<double>(counts.size());
    leaf.depth = 1;
    tree.nodes.push_back(leaf);
  }
  tree.settle();
  return tree;
}

TEST(CountTreeTest, ChildrenSumToTheirParent) {
  const CountTree tree = family({120, -30, 40, 900, 3, 0, 77}, 500);
  NumberSequence numbers(1);
  for (int i = 0; i < 200; ++i) {
    const std::vector<std::uint32_t> drawn = tree.draw(numbers);
    std::uint64_t sum = 0;
    for (std::size_t at = 1; at < drawn.size(); ++at) sum += drawn[at];
    EXPECT_EQ(sum, drawn[0]);
  }
}

TEST(CountTreeTest, SureCountsAreKept) {
  const CountTree tree = family({120, 30, 0, 900}, 1e-9);
  NumberSequence numbers(2);
  const std::vector<std::uint32_t> drawn = tree.draw(numbers);
  EXPECT_NEAR(drawn[1], 120, 1);
  EXPECT_NEAR(drawn[2], 30, 1);
  EXPECT_NEAR(drawn[3], 0, 1);
  EXPECT_NEAR(drawn[4], 900, 1);
}

// Unsure counts far apart: means stay near what was counted, and spread about as the noise does.
TEST(CountTreeTest, DrawsFollowTheCountsAndTheirNoise) {
  const double variance = 400;
  const CountTree tree = family({1000, 2000, 500, 3000}, variance);
  NumberSequence numbers(3);
  const int draws = 2000;
  std::vector<double> mean(5, 0.0), square(5, 0.0);
  for (int i = 0; i < draws; ++i) {
    const std::vector<std::uint32_t> drawn = tree.draw(numbers);
    for (std::size_t at = 1; at < 5; ++at) {
      mean[at] += drawn[at] / static_cast<double>(draws);
      square[at] += static_cast<double>(drawn[at]) * drawn[at] / draws;
    }
  }
  const double counted[] = {0, 1000, 2000, 500, 3000};
  for (std::size_t at = 1; at < 5; ++at) {
    EXPECT_NEAR(mean[at], counted[at], 5) << at;
    const double sd = std::sqrt(square[at] - mean[at] * mean[at]);
    EXPECT_GT(sd, 0.7 * std::sqrt(variance)) << at;
    EXPECT_LT(sd, 1.3 * std::sqrt(variance)) << at;
  }
}

// One count among many that are near the base departs from it by five times its noise: believed, the base draws it
// back; doubted, hardly.
TEST(CountTreeTest, ADoubtedBaseGivesWayToTheCounts) {
  std::vector<double> counts;
  for (int i = 0; i < 64; ++i) counts.push_back(i % 2 == 0 ? 75 : 125);
  counts[9] = 200;
  const CountTree tree = family(counts, 400);
  const auto mean = [&](double doubt) {
    NumberSequence numbers(5);
    double sum = 0;
    for (int i = 0; i < 400; ++i) sum += tree.draw(numbers, doubt)[10] / 400.0;
    return sum;
  };
  EXPECT_LT(mean(1), 170);
  EXPECT_GT(mean(10), mean(1) + 15);
}

// Where there are too many numbers to weigh each.
TEST(CountTreeTest, WideLawsAreWeighedApart) {
  const double variance = 1e8;
  const CountTree tree = family({1e6, 2e6}, variance);
  NumberSequence numbers(6);
  double mean = 0, square = 0;
  const int draws = 4000;
  for (int i = 0; i < draws; ++i) {
    const std::vector<std::uint32_t> drawn = tree.draw(numbers, 100);
    mean += static_cast<double>(drawn[1]) / draws;
    square += static_cast<double>(drawn[1]) * drawn[1] / draws;
  }
  EXPECT_NEAR(mean, 1e6, 1000);
  EXPECT_NEAR(std::sqrt(square - mean * mean), 1e4, 700);
}

// Where counts agree with the base, nothing clumps; where each stands alone, nearly everything does.
TEST(CountTreeTest, ClumpingIsReadOffTheCounts) {
  const std::vector<double> even(16, 1000.0);
  EXPECT_LT(family(even, 10).below(1).theta(1000), 0.001);
  std::vector<double> rough(16, 0.0);
  rough[5] = 16000;
  EXPECT_GT(family(rough, 10).below(1).theta(1000), 0.5);
}

TEST(CountTreeTest, SidesHaveTheirMeanAndDispersion) {
  NumberSequence numbers(4);
  for (const std::uint32_t trips : {1u, 20u, 1000u}) {
    for (const double theta : {0.0, 0.1, 0.6}) {
      const double share = 0.3;
      double mean = 0, square = 0;
      const int draws = 20'000;
      for (int i = 0; i < draws; ++i) {
        const double left = draw_side(trips, share, theta, numbers);
        mean += left / draws;
        square += left * left / draws;
      }
      const double variance = trips * share * (1 - share) * (1 + (trips - 1) * theta);
      EXPECT_NEAR(mean, trips * share, 5 * std::sqrt(variance / draws)) << trips << " " << theta;
      EXPECT_NEAR(std::sqrt(square - mean * mean), std::sqrt(variance), 0.05 * std::sqrt(variance))
          << trips << " " << theta;
    }
  }
  EXPECT_EQ(draw_side(7, 0, 0.5, numbers), 0u);
  EXPECT_EQ(draw_side(7, 1, 0.5, numbers), 7u);
}

}  // namespace
}  // namespace stopover
