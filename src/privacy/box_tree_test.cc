// Rows that are not in memory (box_tree.h): the kernel says the same of them, bit for bit, in one pass a level.
#include "privacy/box_tree.h"

#include <random>

#include "privacy/stream_dice.h"
#include "testing/kernel_fixture.h"
#include "testing/table_rule.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

// Counts the passes over another source.
class WatchedSource final : public CountSource {
 public:
  explicit WatchedSource(const CountSource& source) : source_(source) {}
  const Domain& domain() const override { return source_.domain(); }
  std::uint64_t total() const override { return source_.total(); }
  u128 most_cells() const override { return source_.most_cells(); }
  void pass(Tally& tally) const override {
    ++passes;
    source_.pass(tally);
  }
  mutable int passes = 0;

 private:
  const CountSource& source_;
};

Matrix some_matrix(std::uint64_t seed, std::size_t trips) {
  std::mt19937_64 random(seed);
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < trips; ++i) {
    cells.push_back({static_cast<std::uint32_t>(random() % 16), static_cast<std::uint32_t>(random() % 16 * (i % 2)),
                     static_cast<std::uint32_t>(random() % 3)});
  }
  return matrix_of({16, 16, 3}, cells);
}

// A tree of up to `cuts` cuts at random places.
CutTree random_tree(const Box& box, std::size_t cuts, std::mt19937_64& random) {
  CutTree tree;
  std::vector<Box> boxes = {box};
  std::vector<std::pair<std::int32_t, bool>> hangs = {{-1, false}};
  for (std::size_t i = 0; i < cuts; ++i) {
    const std::size_t part = random() % boxes.size(), axis = random() % box.axes();
    const Interval side = boxes[part][axis];
    if (side.width() < 2) continue;
    const auto cut = static_cast<std::uint32_t>(side.lo + 1 + random() % (side.width() - 1));
    const auto node = static_cast<std::int32_t>(tree.nodes.size());
    tree.nodes.push_back({static_cast<std::uint32_t>(axis), cut, ~static_cast<std::int32_t>(part),
                          ~static_cast<std::int32_t>(boxes.size())});
    if (hangs[part].first >= 0) {
      CutTree::Node& above = tree.nodes[static_cast<std::size_t>(hangs[part].first)];
      (hangs[part].second ? above.above : above.below) = node;
    }
    hangs[part] = {node, false};
    hangs.emplace_back(node, true);
    boxes.push_back(boxes[part]);
    boxes[part][axis].hi = boxes.back()[axis].lo = cut;
  }
  return tree;
}

// Three levels of counts, plain and gradual, a family that is never counted, and ranks.
std::vector<std::int64_t> ask(const CountSource& source, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  StreamDice dice(test_key(std::to_string(seed)));
  Kernel kernel(source, dice, kTicksPerEpsilon, 2);
  std::vector<std::int64_t> told;
  const auto tell = [&](const std::vector<std::int64_t>& more) { told.insert(told.end(), more.begin(), more.end()); };
  Family root = kernel.view("joint", {0, 1, 2}, kernel.left() / 2);
  tell(kernel.count(root, 1'000'000));
  std::vector<Region> regions = kernel.open(std::move(root));
  for (int level = 0; level < 3; ++level) {
    std::vector<Family> families;
    for (Region& region : regions) {
      CutTree tree = random_tree(region.box(), random() % 9, random);
      families.push_back(kernel.split(std::move(region), std::move(tree)));
    }
    regions.clear();
    for (Family& family : families) {
      if (level == 2) {
        tell(kernel.count_gradually(family, 1'000'000, 3'000'000));
      } else if (random() % 4 > 0) {
        tell(kernel.count(family, 1'000'000));
      }
      for (Region& region : kernel.open(std::move(family))) regions.push_back(std::move(region));
    }
  }
  for (Region& region : regions) tell(kernel.reveal(region));
  tell(kernel.count(std::span(regions), 1'000'000));
  Family again = kernel.again(std::move(regions[0]));
  tell(kernel.count(again, 1'000'000));
  Region all = std::move(kernel.open(kernel.view("ranks", {0, 1, 2}, kernel.left()))[0]);
  const TableRule rule({{{1, 0}, {3, 1}, {~std::uint64_t{0}, 2}}, {{2, 2}, {4, 0}, {9, 1}}}, 3);
  tell(kernel.count_ranks(all, std::vector<Cuts>{{{4, 8}, {5}}, {{}, {1, 2, 3}, {1}}}, rule, 3, all.left()));
  kernel.close();
  return told;
}

TEST(BoxTree, SaysWhatRowsInMemorySay) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Matrix matrix = some_matrix(seed, seed * 7);
    const std::vector<std::int64_t> expected = ask(MatrixSource(matrix), seed);
    ASSERT_EQ(ask(MatrixSource::in_passes(matrix, 1, 0), seed), expected) << seed;
    ASSERT_EQ(ask(MatrixSource::in_passes(matrix, 3, 0), seed), expected) << seed;
    ASSERT_EQ(ask(MatrixSource::in_passes(matrix, 2), seed), expected) << seed << ": few cells";
  }
}

TEST(BoxTree, PooledViewsAreMadeFromOnePass) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Matrix matrix = some_matrix(seed, 300);
    const MatrixSource rows(matrix), passes = MatrixSource::in_passes(matrix, 2, 0);
    for (const std::uint32_t step : {1u, 3u}) {
      const WatchedSource watched(passes);
      const auto counts = [&](const CountSource& source) {
        StreamDice dice(test_key("pooled"));
        Kernel kernel(source, dice, kTicksPerEpsilon, 1);
        Family root = kernel.pooled_view("maps", {{0}, {1}}, kernel.left(), step);
        Family parts = kernel.split(std::move(kernel.open(std::move(root))[0]),
                                    step == 1 ? Cuts{{}, {3, 9, 12}} : Cuts{{}, {1, 3, 5}});
        return kernel.count_by(parts, 0, parts.left());
      };
      EXPECT_EQ(counts(rows), counts(watched)) << seed << ", steps of " << step;
      EXPECT_EQ(watched.passes, 1);
    }
  }
}

TEST(BoxTree, ALevelIsOnePass) {
  const Matrix matrix = some_matrix(1, 500);
  const MatrixSource passes = MatrixSource::in_passes(matrix, 2, 0);
  const WatchedSource watched(passes);
  StreamDice dice(test_key("level"));
  Kernel kernel(watched, dice, kTicksPerEpsilon, 1);
  Family root = kernel.view("joint", {0, 1, 2}, kernel.left());
  kernel.count(root, 1'000);
  EXPECT_EQ(watched.passes, 0) << "the total is known";
  Family halves = kernel.split(std::move(kernel.open(std::move(root))[0]), CutTree{{{0, 8, ~0, ~1}}});
  std::vector<Region> two = kernel.open(std::move(halves));
  Family low = kernel.split(std::move(two[0]), CutTree{{{1, 8, ~0, ~1}}});
  Family high = kernel.split(std::move(two[1]), CutTree{{{2, 1, ~0, ~1}}});
  EXPECT_EQ(watched.passes, 0) << "dividing looks at nothing";
  kernel.count(low, 1'000);
  kernel.count(high, 1'000);
  EXPECT_EQ(watched.passes, 1);
}

using BoxTreeDeathTest = KernelDeathTest;

TEST_F(BoxTreeDeathTest, WhatNeedsRowsAborts) {
  const Matrix matrix = some_matrix(1, 50);
  const MatrixSource source = MatrixSource::in_passes(matrix, 1, 0);
  const auto all = [&](Kernel& kernel) {
    return std::move(kernel.open(kernel.view("joint", {0, 1, 2}, kernel.left()))[0]);
  };
  const auto with = [&](const std::function<void(Kernel&, Region)>& act) {
    StreamDice dice(test_key("misuse"));
    Kernel kernel(source, dice, kTicksPerEpsilon, 1);
    act(kernel, all(kernel));
  };
  EXPECT_DEATH(with([](Kernel& k, Region r) { k.split(std::move(r), Cuts{{3}}); }), "by trees alone");
  EXPECT_DEATH(with([](Kernel& k, Region r) { k.count_parts(r, {{3}}, 5); }), "not in memory");
  EXPECT_DEATH(with([](Kernel& k, Region r) { k.count_sparsely(r, 5, 3); }), "not in memory");
  EXPECT_DEATH(with([](Kernel& k, Region r) {
                 k.grow(std::move(r), 5, 1, [](const Box&, std::uint32_t) { return Cuts{{3}}; }, 100);
               }),
               "not in memory");
  EXPECT_DEATH(with([](Kernel& k, Region r) { k.choose(r, std::vector<AxisCut>{{0, 3}}, Score::balance, 5); }),
               "not in memory");
}

}  // namespace
}  // namespace stopover
