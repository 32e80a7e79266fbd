#include "query/box_index.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "query/synthetic_release.h"
#include "release/sample_release.h"

namespace stopover {
namespace {

// Every leaf once, parents before children, bounds nested, no crowded family but grids.
void expect_sound(const Release& release) {
  const Table& table = release.tables[0];
  const Result<BoxIndex> made = BoxIndex::make(release);
  ASSERT_TRUE(made) << made.error().message;
  const BoxIndex& index = *made;
  const std::vector<bool> leaves = table.leaves();
  double estimates = 0, counts = 0;
  std::size_t leaf_rows = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!leaves[row]) continue;
    ++leaf_rows;
    estimates += table.estimate[row];
    counts += static_cast<double>(table.count[row]);
  }
  EXPECT_EQ(index.partitions(), leaf_rows);
  EXPECT_NEAR(index.sums()[0].estimate, estimates, 1e-9 * (1 + estimates));
  EXPECT_NEAR(index.sums()[0].count, counts, 1e-6);
  std::vector<int> seen(index.nodes().size(), 0);
  std::size_t leaf_nodes = 0;
  for (std::size_t at = 0; at < index.nodes().size(); ++at) {
    const BoxIndex::Node& node = index.nodes()[at];
    leaf_nodes += node.children == 0;
    EXPECT_TRUE(node.grid != BoxIndex::kNone || node.children <= BoxIndex::kFan);
    for (std::uint32_t child = node.first; child < node.first + node.children; ++child) {
      EXPECT_GT(child, at);
      ++seen[child];
      for (std::size_t axis = 0; axis < index.axes(); ++axis) {
        EXPECT_GE(index.side(child, axis).lo, index.side(at, axis).lo);
        EXPECT_LE(index.side(child, axis).hi, index.side(at, axis).hi);
      }
    }
  }
  EXPECT_EQ(leaf_nodes, leaf_rows);
  for (std::size_t at = 1; at < seen.size(); ++at) EXPECT_EQ(seen[at], 1);
}

TEST(BoxIndexTest, HoldsEveryLeafOnce) {
  for (std::size_t d = 1; d <= 8; ++d) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) expect_sound(synthetic::any(d, 70 * d + seed, 400));
  }
}

TEST(BoxIndexTest, AFlatGridIsOneFamily) {
  const Release release = synthetic::flat({100, 60, 7}, {20, 30, 7}, 100'000'000);
  expect_sound(release);
  const Result<BoxIndex> index = BoxIndex::make(release);
  EXPECT_EQ(index->grids().size(), 1u);
  EXPECT_EQ(index->nodes().size(), 1u + 20 * 30 * 7);
  ASSERT_EQ(index->grid_axes().size(), 3u);
  EXPECT_EQ(index->grid_axes()[2].axis, 1u) << "rows run along the axis with most parts";
  EXPECT_EQ(index->running().size(), 20u * 7 * 31);
}

TEST(BoxIndexTest, AnIrregularFamilyIsGroupedByPlace) {
  Release release = synthetic::empty({1000, 1000});
  release.tables[0].kind = TableKind::cells;
  synthetic::Random random(1);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const auto x = static_cast<std::uint32_t>(synthetic::below(random, 1000));
    release.tables[0].append(sample::box({{x, x + 1}, {i % 1000, i % 1000 + 1}}), -1, 5, 100'000'000, 0);
  }
  synthetic::settle(release);
  expect_sound(release);
  const Result<BoxIndex> index = BoxIndex::make(release);
  EXPECT_TRUE(index->grids().empty());
  // Sixty-four groups two levels down: none may be wider than 0.4 of the domain.
  const BoxIndex::Node& root = index->nodes()[0];
  for (std::uint32_t i = root.first; i < root.first + root.children; ++i) {
    const BoxIndex::Node& node = index->nodes()[i];
    for (std::uint32_t j = node.first; j < node.first + node.children; ++j) {
      EXPECT_LE(index->bounds(j)[1] - index->bounds(j)[0], 400u);
      EXPECT_LE(index->bounds(j)[3] - index->bounds(j)[2], 400u);
    }
  }
}

TEST(BoxIndexTest, RowsAtOnePlaceDoNotHang) {
  Release release = synthetic::empty({4, 4});
  release.tables[0].kind = TableKind::cells;
  for (int i = 0; i < 100; ++i) release.tables[0].append(sample::box({{1, 2}, {1, 2}}), -1, 1, 100'000'000, 0);
  synthetic::settle(release);
  expect_sound(release);
}

TEST(BoxIndexTest, ALongUnaryChain) {
  Release release = synthetic::empty({4, 4});
  for (int i = 0; i < 20'000; ++i) release.tables[0].append(release.domain.whole(), i - 1, 10, 1'000, 0);
  synthetic::settle(release);
  const Result<BoxIndex> index = BoxIndex::make(release);
  EXPECT_EQ(index->partitions(), 1u);
  EXPECT_EQ(index->measurements().size(), 19'999u);
}

}  // namespace
}  // namespace stopover
