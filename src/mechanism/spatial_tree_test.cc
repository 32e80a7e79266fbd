#include "mechanism/spatial_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "mechanism/formulas.h"
#include "privacy/stream_dice.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

using Given = std::vector<std::pair<std::string, std::string>>;

Release publish_tree(const char* name, const Given& given, const Trips& trips, Ticks epsilon) {
  const Mechanism& mechanism = *find_mechanism(name);
  StreamDice dice(test_key("spatial tree"));
  const Matrix matrix = trips.matrix();
  Kernel kernel(matrix, dice, epsilon, 1);
  return run_mechanism(mechanism, *read_params(mechanism, given), kernel, Unit::trip);
}

Trips line(const std::vector<std::uint32_t>& cells, std::uint64_t width) {
  Trips trips{{width}, {}};
  for (std::uint32_t cell : cells) trips.cells.push_back({cell});
  return trips;
}

// Ticks of the counts of each depth that was counted, and of all choices along one path.
std::map<std::uint32_t, Ticks> count_ticks(const Release& release) {
  std::map<std::uint32_t, Ticks> ticks;
  for (const Charge& charge : release.charges) {
    if (charge.purpose == "count") ticks[charge.depth] = std::max(ticks[charge.depth], charge.ticks);
  }
  return ticks;
}

TEST(Heights, AreThePapersAtItsSize) {
  // Cormode et al. 2012, section 8: 1.63 million points, eps = 0.5; kd-trees of height 8, quadtrees and hybrids of 10.
  EXPECT_EQ(std::round(formulas::kd_height(1.63e6, 0.5, 2)), 8);
  EXPECT_EQ(std::round(formulas::quadtree_height(1.63e6, 0.5, 2)), 10);
  EXPECT_DOUBLE_EQ(formulas::htf_height(10240, 1, 2), 10);  // log2(N eps/10)
  EXPECT_EQ(formulas::htf_height(-5, 1, 3), 0);
  EXPECT_EQ(formulas::kd_height(0, 1, 4), 0);
}

TEST(Quadtree, SharesGrowByTheCubeRootOfTwoALevelInTwoDimensions) {
  Trips trips{{64, 64}, {}};
  for (std::uint32_t i = 0; i < 4096; ++i) trips.cells.push_back({i / 64, i % 64});
  const Release release = publish_tree("quadtree", {{"height", "4"}, {"stop", "0"}}, trips, kTicksPerEpsilon);
  const auto ticks = count_ticks(release);
  ASSERT_EQ(ticks.size(), 5u);
  // eps_i = 2^((h-i)/3) eps (2^(1/3) - 1)/(2^((h+1)/3) - 1) of Cormode et al., i = 0 for leaves; the total costs
  // eps/100.
  EXPECT_EQ(ticks.at(0), 10'000'000u);
  const double base = std::cbrt(2.0);
  for (std::uint32_t depth = 1; depth <= 4; ++depth) {
    const double expected = 0.99e9 * std::pow(base, depth - 1) * (base - 1) / (std::pow(base, 4) - 1);
    EXPECT_NEAR(static_cast<double>(ticks.at(depth)), expected, 5);
  }
  EXPECT_EQ(release.tables[0].rows(), 1 + 4 + 16 + 64 + 256u);
}

TEST(Quadtree, StopsWhereFewAreAndCountsAgainWithTheRest) {
  Trips trips{{8, 8}, {}};
  for (int i = 0; i < 500; ++i) trips.cells.push_back({1, 1});
  const Release release = publish_tree("quadtree", {{"height", "3"}, {"stop", "100"}}, trips, 100 * kTicksPerEpsilon);
  // Whole; 4 quarters; of 3 empty ones the same box again and of the full one 4; of these 3 again and 1 divided into
  // cells.
  EXPECT_EQ(release.tables[0].rows(), 1 + 4 + (3 + 4) + (3 + 4u));
  for (std::size_t row = 0; row < release.tables[0].rows(); ++row) {
    EXPECT_NEAR(release.tables[0].estimate[row],
                release.tables[0].box(row)[0].lo <= 1 && release.tables[0].box(row)[1].lo <= 1 &&
                        release.tables[0].box(row)[0].hi > 1 && release.tables[0].box(row)[1].hi > 1
                    ? 500
                    : 0,
                1e-3 + 3);
  }
}

TEST(KdTree, FindsTheMedianAndPaysThirtyPercentForIt) {
  // 40 trips in cell 3, 40 in cell 90: only cuts 4 .. 90 leave a balance of 0.
  std::vector<std::uint32_t> cells(40, 3);
  cells.insert(cells.end(), 40, 90);
  const Release release = publish_tree("kd-tree", {{"height", "1"}}, line(cells, 200), 100 * kTicksPerEpsilon);
  const Table& table = release.tables[0];
  ASSERT_EQ(table.rows(), 3u);
  EXPECT_GE(table.box(1)[0].hi, 4u);
  EXPECT_LE(table.box(1)[0].hi, 90u);
  EXPECT_NEAR(table.estimate[1], 40, 3);
  EXPECT_NEAR(table.estimate[2], 40, 3);
  EXPECT_EQ(table.side_ticks[0], 29'700'000'000u);  // 0.3 of 99
  EXPECT_EQ(table.row_ticks[1], 69'300'000'000u);
}

TEST(KdTree, MediansShareTheirPartEquallyAndInnerCutsAreNotCounted) {
  Trips trips{{32, 32}, {}};
  for (std::uint32_t i = 0; i < 1024; ++i) trips.cells.push_back({i / 32, i % 32});
  const Release release = publish_tree("kd-tree", {{"height", "2"}, {"stop", "0"}}, trips, 10 * kTicksPerEpsilon);
  std::map<std::uint32_t, Ticks> choices;
  for (const Charge& charge : release.charges) {
    if (charge.purpose == "choose") choices[charge.depth] = charge.ticks;
  }
  EXPECT_EQ(choices,
            (std::map<std::uint32_t, Ticks>{{0, 742'500'000}, {1, 742'500'000}, {2, 742'500'000}, {3, 742'500'000}}));
  const auto counts = count_ticks(release);
  EXPECT_EQ(counts.size(), 3u);  // the whole, and after every second cut
  EXPECT_EQ(counts.count(2), 1u);
  EXPECT_EQ(counts.count(4), 1u);
  // An even spread is cut in the middle, give or take a few cells.
  EXPECT_NEAR(release.tables[0].box(1)[0].hi, 16, 2);
}

TEST(KdHybrid, TurnsIntoAQuadtreeHalfWay) {
  Trips trips{{64, 64}, {}};
  for (std::uint32_t i = 0; i < 4096; ++i) trips.cells.push_back({i / 64, i % 64});
  const Release release = publish_tree("kd-hybrid", {{"height", "4"}, {"stop", "0"}}, trips, kTicksPerEpsilon);
  std::uint32_t deepest_choice = 0, deepest_count = 0;
  for (const Charge& charge : release.charges) {
    std::uint32_t& deepest = charge.purpose == "choose" ? deepest_choice : deepest_count;
    deepest = std::max(deepest, charge.depth);
  }
  EXPECT_EQ(deepest_choice, 3u);     // two levels of two medians: at depths 0 .. 3
  EXPECT_EQ(deepest_count, 4u + 2);  // then two levels of four at once
}

TEST(Htf, CutsWhereTheDensityChanges) {
  // Cells 0..15 hold 50 trips each, 16..63 none: a cut at 16 alone leaves both sides without any deviation. The search
  // looks at 32, 16 and 48 first.
  std::vector<std::uint32_t> cells;
  for (std::uint32_t cell = 0; cell < 16; ++cell) cells.insert(cells.end(), 50, cell);
  const Release release = publish_tree("htf", {{"height", "1"}}, line(cells, 64), 100 * kTicksPerEpsilon);
  ASSERT_EQ(release.tables[0].rows(), 3u);
  EXPECT_EQ(release.tables[0].box(1)[0].hi, 16u);
  EXPECT_NEAR(release.tables[0].estimate[1], 800, 2);
  EXPECT_NEAR(static_cast<double>(release.tables[0].side_ticks[0]), 0.1 * 99e9, 3);
}

TEST(Ug, SaysWhatItDoesWithTooManyBoxes) {
  EXPECT_EQ(find_mechanism("ug")->params[0].help, "coarsen the grid until it has at most this many boxes");
}

}  // namespace
}  // namespace stopover
