#include "privacy/kernel.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <array>
#include <set>

#include "privacy/stream_dice.h"
#include "testing/kernel_fixture.h"
#include "testing/replay_dice.h"
#include "testing/table_rule.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

TEST_F(KernelTest, CountsOfEverySplitAreTheTripsInTheBoxes) {
  Region all = whole();
  EXPECT_EQ(all.box(), matrix_.domain().whole());
  Family parts = kernel_.split(std::move(all), {{3, 4}, {}, {1, 2, 3}});
  ASSERT_EQ(parts.size(), 12u);
  const auto counts = kernel_.count(parts, kOne / 10);
  for (std::size_t i = 0; i < parts.size(); ++i) EXPECT_EQ(counts[i], trips_in(trips_, parts.box(i))) << i;
  EXPECT_EQ(parts.box(1)[2], (Interval{1, 2})) << "the last axis runs fastest";
  EXPECT_EQ(parts.box(4)[0], (Interval{3, 4}));
  std::int64_t sum = 0;
  for (Region& part : kernel_.open(std::move(parts))) {
    Family halves = kernel_.split(std::move(part), 1, {3});
    const auto inner = kernel_.count(halves, kOne / 10);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(inner[i], trips_in(trips_, halves.box(i)));
      sum += inner[i];
    }
  }
  EXPECT_EQ(sum, 200) << "every trip is in exactly one child";
}

// Divides at random, as deep as it goes: at every level the boxes tile the whole and every trip is counted once.
TEST_F(KernelTest, EveryTripIsOnOnePath) {
  std::mt19937 random(2);
  std::vector<Region> level;
  level.push_back(whole());
  for (int depth = 0; depth < 8; ++depth) {
    std::vector<Region> next;
    u128 volume = 0;
    std::int64_t sum = 0;
    for (Region& region : level) {
      Cuts cuts(3);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::uint32_t cut = region.box()[axis].lo + 1; cut < region.box()[axis].hi; ++cut) {
          if (random() % 5 == 0) cuts[axis].push_back(cut);
        }
      }
      Family family = kernel_.split(std::move(region), cuts);
      const auto counts = kernel_.count(family, 1000);
      for (std::size_t i = 0; i < family.size(); ++i) {
        EXPECT_EQ(counts[i], trips_in(trips_, family.box(i)));
        volume += family.box(i).volume();
        sum += counts[i];
      }
      for (Region& child : kernel_.open(std::move(family))) next.push_back(std::move(child));
    }
    EXPECT_EQ(sum, 200);
    EXPECT_EQ(volume, matrix_.domain().volume());
    level = std::move(next);
  }
  EXPECT_GT(level.size(), 100u);
  const auto counts = kernel_.count(level, 1000);
  for (std::size_t i = 0; i < level.size(); ++i) EXPECT_EQ(counts[i], trips_in(trips_, level[i].box()));
  EXPECT_EQ(kernel_.close().spent, 9000u);
}

TEST_F(KernelTest, ATreeOfCutsTilesItsBox) {
  // Right of 4 by axis 2 at 1, the lower part of that again by axis 0 at 7; children in an order of their own.
  const CutTree tree{{{0, 4, ~2, 1}, {2, 1, 2, ~0}, {0, 7, ~3, ~1}}};
  Family parts = kernel_.split(whole(), tree);
  ASSERT_EQ(parts.size(), 4u);
  const auto counts = kernel_.count(parts, 5);
  u128 volume = 0;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(counts[i], trips_in(trips_, parts.box(i))) << i;
    volume += parts.box(i).volume();
    sum += counts[i];
  }
  EXPECT_EQ(volume, matrix_.domain().volume());
  EXPECT_EQ(sum, 200);
  EXPECT_EQ(parts.box(2)[0], (Interval{0, 4}));
  EXPECT_EQ(parts.box(1)[0], (Interval{7, 10}));
  std::vector<Region> opened = kernel_.open(std::move(parts));
  const auto again = kernel_.count(opened, 5);
  EXPECT_EQ(again, counts) << "rows went with their boxes";
  Family one = kernel_.split(std::move(opened[1]), CutTree{});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(kernel_.count(one, 5)[0], counts[1]);
}

TEST_F(KernelTest, ViewsProject) {
  Family family = kernel_.split(only(kernel_.open(kernel_.view("stop", {0, 2}, 5))), {{5}, {2}});
  const auto counts = kernel_.count(family, 5);
  std::vector<std::int64_t> expected(4, 0);
  for (const Cell& trip : trips_) ++expected[(trip[0] >= 5) * 2 + (trip[2] >= 2)];
  EXPECT_EQ(counts, expected);
}

TEST_F(KernelTest, PooledViewsHoldEveryStopsPoint) {
  const std::vector<Cell> trips = random_trips({6, 4, 6, 4, 6, 4}, 100, 3);
  const Matrix matrix = matrix_of({6, 4, 6, 4, 6, 4}, trips);
  Kernel kernel(matrix, dice_, 300, 1);
  Family family = kernel.pooled_view("maps", {{0, 1}, {2, 3}, {4, 5}}, 300);
  EXPECT_EQ(family.left(), 100u) << "a trip is three points";
  Family cut = kernel.split(only(kernel.open(std::move(family))), {{}, {2}, {}});
  const auto counts = kernel.count_by(cut, 0, 100);
  ASSERT_EQ(counts.size(), 6u);
  std::vector<std::int64_t> expected(6, 0);
  for (const Cell& trip : trips) {
    for (std::size_t stop = 0; stop < 3; ++stop) ++expected[(trip[2 * stop] >= 2) * 3 + stop];
  }
  EXPECT_EQ(counts, expected);
  EXPECT_EQ(kernel.close().spent, 300u);
}

// Squares of 4 cells: a coarser public partition of the same points, at the same price.
TEST_F(KernelTest, PooledViewsInSteps) {
  const std::vector<Cell> trips = random_trips({10, 9, 10, 9}, 100, 4);
  const Matrix matrix = matrix_of({10, 9, 10, 9}, trips);
  Kernel kernel(matrix, dice_, 300, 1);
  Family family = kernel.pooled_view("maps", {{0, 1}, {2, 3}}, 300, 4);
  EXPECT_EQ(family.left(), 150u);
  const Box whole = family.box(0);
  EXPECT_EQ(whole[1].hi, 3u) << "the last square has two cells of ten";
  EXPECT_EQ(whole[2].hi, 3u);
  Family cut = kernel.split(only(kernel.open(std::move(family))), {{}, {1, 2}, {2}});
  const auto counts = kernel.count_by(cut, 0, 150);
  std::vector<std::int64_t> expected(12, 0);
  for (const Cell& trip : trips) {
    for (std::size_t stop = 0; stop < 2; ++stop)
      ++expected[(trip[2 * stop] / 4 * 2 + (trip[2 * stop + 1] >= 8)) * 2 + stop];
  }
  EXPECT_EQ(counts, expected);
  EXPECT_EQ(kernel.close().spent, 300u);
}

TEST_F(KernelTest, ChargesBeforeItDraws) {
  int draws = 0;
  Family family = root(1000);
  EXPECT_EQ(kernel_.left(), kOne - 1000) << "a slice is taken when the view is opened";
  dice_.on_draw = [&] {
    ++draws;
    EXPECT_EQ(family.left(), 900u);
  };
  kernel_.count(family, 100);
  Region region = only(kernel_.open(std::move(family)));
  dice_.on_draw = [&] {
    ++draws;
    EXPECT_EQ(region.left(), 850u);
  };
  kernel_.choose(region, 0, Candidates{{1}, {2}}, Score::homogeneity, 50);
  Family parts = kernel_.split(std::move(region), 0, {5});
  dice_.on_draw = [&] {
    ++draws;
    EXPECT_EQ(parts.left(), 840u);
  };
  kernel_.count_gradually(parts, 10, 30);
  std::vector<Region> opened = kernel_.open(std::move(parts));
  dice_.on_draw = [&] {
    ++draws;
    EXPECT_EQ(opened[1].left(), 820u);
  };
  kernel_.reveal(opened[1]);
  dice_.on_draw = [&] {
    EXPECT_EQ(opened[0].left(), 839u) << "what was not revealed is not paid";
    EXPECT_EQ(opened[1].left(), 819u);
    ++draws;
  };
  kernel_.count(opened, 1);
  EXPECT_EQ(draws, 5);
  const Receipt receipt = kernel_.close();
  EXPECT_EQ(receipt.spent, 181u);
  // One line a depth, purpose and price; a revealed count stands as one charge of both its parts.
  const auto times = [&](std::uint32_t depth, const char* purpose, Ticks ticks) -> std::uint64_t {
    for (const ChargeLine& line : receipt.charges) {
      if (line.depth == depth && line.purpose == purpose && line.ticks == ticks) return line.times;
    }
    return 0;
  };
  EXPECT_EQ(receipt.charges.size(), 5u);
  EXPECT_EQ(times(0, "count", 100), 1u);
  EXPECT_EQ(times(0, "choose", 50), 1u);
  EXPECT_EQ(times(1, "count", 10), 1u);
  EXPECT_EQ(times(1, "count", 30), 1u);
  EXPECT_EQ(times(1, "count", 1), 2u);
}

TEST_F(KernelTest, SiblingsCostTheirMaximumPathsAndViewsAdd) {
  std::vector<Region> parts = kernel_.open(kernel_.split(whole(500), 0, {5}));
  Family left = kernel_.again(std::move(parts[0]));
  Family right = kernel_.again(std::move(parts[1]));
  kernel_.count(left, 200);
  kernel_.count(right, 300);
  Family deeper = kernel_.again(only(kernel_.open(std::move(left))));
  kernel_.count(deeper, 250);
  EXPECT_EQ(deeper.left(), 50u);
  Family other = kernel_.view("again", {0, 1, 2}, 70);
  kernel_.count(other, 60);
  EXPECT_EQ(kernel_.left(), kOne - 570);
  EXPECT_EQ(kernel_.close().spent, 450u + 60u);
}

TEST_F(KernelTest, OnlyTheKernelDividesByTheTripsOfAUnit) {
  Kernel kernel(matrix_, dice_, kOne, 5);
  Region region = only(kernel.open(kernel.view("joint", {0, 1, 2}, kOne)));
  kernel.choose(region, 0, Candidates{{1}, {2}}, Score::homogeneity, 8);
  kernel.choose(region, std::vector<AxisCut>{{0, 1}, {1, 2}}, Score::balance, 8);
  Family parts = kernel.split(std::move(region), 0, {5});
  kernel.count_gradually(parts, 10, 30);
  std::vector<Region> opened = kernel.open(std::move(parts));
  kernel.count(opened, 7);
  kernel.grow(std::move(opened[0]), 9, 2, [](const Box&, std::uint32_t) { return Cuts{{2}}; }, 2);
  ASSERT_EQ(dice_.exponents.size(), 2u);
  // exp(-ticks gap / (1e9 * 2 * sensitivity 2 * k))
  EXPECT_TRUE(dice_.exponents[0].first * 20 * kOne == dice_.exponents[0].second * 8);
  // The balance has sensitivity 1.
  EXPECT_TRUE(dice_.exponents[1].first * 10 * kOne == dice_.exponents[1].second * 8);
  ASSERT_EQ(dice_.rates.size(), 4u);
  const auto is = [&](std::size_t i, std::uint64_t num, std::uint64_t den) {
    return static_cast<u128>(dice_.rates[i].num) * den == static_cast<u128>(dice_.rates[i].den) * num;
  };
  EXPECT_TRUE(is(0, 30, 5 * kOne));
  EXPECT_TRUE(is(1, 10, 5 * kOne));
  EXPECT_TRUE(is(2, 7, 5 * kOne));
  // (b - 1)/(2b - 1) of the charge, b = 4.
  EXPECT_TRUE(is(3, 9 * 3, 5 * kOne * 7));
}

TEST_F(KernelTest, ARevealedCountIsTheHiddenOneAndOfItsOwnRegion) {
  StreamDice stream(test_key("reveal"));
  RecordingDice recording(stream);
  Kernel kernel(matrix_, recording, kOne, 1);
  Family parts = kernel.split(only(kernel.open(kernel.view("joint", {0, 1, 2}, kOne))), 0, {2, 4, 6});
  const auto coarse = kernel.count_gradually(parts, kOne / 100, kOne / 2, 2);
  ASSERT_EQ(coarse.size(), 16u);
  std::vector<Region> opened = kernel.open(std::move(parts));
  const auto fine = kernel.reveal(opened[2]);
  ASSERT_EQ(fine.size(), 4u);
  const DiceCall& call = recording.transcript().begin()->second;
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(fine[i], static_cast<std::int64_t>(call.output[8 + i]));
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(coarse[i], static_cast<std::int64_t>(call.output[16 + i]));
    EXPECT_EQ(call.revealed[i], i / 4 == 2);
  }
}

// A run that meets all primitives at all depths: every label is new, and 1 or 8 threads give the same releases.
Transcript big_run(const Matrix& matrix, std::size_t threads, std::vector<std::string>& faults) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  StreamDice stream(test_key("big run"));
  RecordingDice recording(stream);
  Kernel kernel(matrix, recording, kOne, 2);
  for (const char* name : {"first", "second"}) {
    Family top = kernel.view(name, {0, 1, 2}, kOne / 3);
    kernel.count(top, 1000);
    std::vector<Region> level = kernel.open(std::move(top));
    for (int depth = 0; depth < 5; ++depth) {
      std::vector<std::vector<Region>> next(level.size());
      tbb::parallel_for(std::size_t{0}, level.size(), [&](std::size_t i) {
        Region region = std::move(level[i]);
        const std::uint64_t coin = kernel.public_coin(region, 3)[2];
        kernel.public_coin(region, 1);
        const std::size_t axis = coin % 3;
        const Interval side = region.box()[axis];
        Candidates candidates;
        for (std::uint32_t cut = side.lo + 1; cut < side.hi; ++cut) candidates.push_back({cut});
        std::vector<std::uint32_t> cuts;
        if (!candidates.empty()) {
          cuts = candidates[kernel.choose(region, axis, candidates, Score::homogeneity, kOne / 100)];
          kernel.choose(region, axis, candidates, Score::homogeneity, kOne / 100);
        }
        Family family = kernel.split(std::move(region), axis, cuts);
        kernel.count_gradually(family, 2000, 4000);
        next[i] = kernel.open(std::move(family));
        kernel.reveal(next[i][0]);
        Family again = kernel.again(std::move(next[i][0]));
        kernel.count(again, 3000);
        next[i][0] = only(kernel.open(std::move(again)));
      });
      level.clear();
      for (auto& regions : next) {
        for (Region& region : regions) level.push_back(std::move(region));
      }
    }
    kernel.count(level, 10);
    kernel.count(level, 10);
    for (Region& region : level) {
      kernel.grow(
          std::move(region), kOne / 100, 1,
          [](const Box& box, std::uint32_t) {
            return Cuts{box[0].width() > 1 ? std::vector{box[0].lo + 1} : std::vector<std::uint32_t>{}};
          },
          100);
    }
  }
  kernel.close();
  faults = recording.faults();
  return recording.transcript();
}

TEST_F(KernelTest, LabelsAreNeverRepeatedAndThreadsDoNotShow) {
  std::vector<std::string> faults;
  const Transcript one = big_run(matrix_, 1, faults);
  EXPECT_TRUE(faults.empty()) << faults[0];
  EXPECT_GT(one.size(), 300u);
  const Transcript eight = big_run(matrix_, 8, faults);
  EXPECT_TRUE(faults.empty());
  ASSERT_EQ(one.size(), eight.size());
  for (auto a = one.begin(), b = eight.begin(); a != one.end(); ++a, ++b) {
    EXPECT_EQ(a->first, b->first);
    EXPECT_TRUE(a->second.truth == b->second.truth && a->second.output == b->second.output &&
                a->second.revealed == b->second.revealed);
  }
  // Different nodes have different names: a label's node never serves two boxes (their truths came from other rows).
  std::set<NodePath> nodes;
  for (const auto& [label, call] : one) nodes.insert(label.node);
  EXPECT_GT(nodes.size(), 60u);
}

TEST_F(KernelTest, OneStreamServesAFamilyAndNoTwoFamiliesShareOne) {
  // Two families of equal shape under one key: their noises must differ.
  StreamDice stream(test_key("families"));
  RecordingDice recording(stream);
  const Matrix empty = matrix_of({64, 2}, {});
  Kernel kernel(empty, recording, kOne, 1);
  std::vector<Region> halves = kernel.open(kernel.split(only(kernel.open(kernel.view("v", {0, 1}, kOne))), 1, {1}));
  std::vector<std::uint32_t> cuts;
  for (std::uint32_t i = 1; i < 64; ++i) cuts.push_back(i);
  Family a = kernel.split(std::move(halves[0]), 0, cuts);
  Family b = kernel.split(std::move(halves[1]), 0, cuts);
  const auto x = kernel.count(a, kOne / 100);
  const auto y = kernel.count(b, kOne / 100);
  EXPECT_NE(x, y);
  // Counted again at the same rate, one level deeper: other words.
  std::vector<std::int64_t> z;
  for (Region& region : kernel.open(std::move(a))) {
    Family again = kernel.again(std::move(region));
    z.push_back(kernel.count(again, kOne / 100)[0]);
  }
  EXPECT_NE(x, z);
  EXPECT_NE(y, z);
}

TEST_F(KernelTest, PartsAreCountedWhileTheRegionStaysWhole) {
  Region all = whole(1000);
  dice_.on_draw = [&] { EXPECT_EQ(all.left(), 700u) << "charged before it is drawn"; };
  const auto parts = kernel_.count_parts(all, {{3, 4}, {}, {1, 2, 3}}, 300);
  dice_.on_draw = [&] { EXPECT_EQ(all.left(), 500u); };
  const auto halves = kernel_.count_parts(all, {{}, {3}}, 200);
  dice_.on_draw = [] {};
  EXPECT_EQ(halves, (std::vector<std::int64_t>{trips_in(trips_, box({{0, 10}, {0, 3}, {0, 4}})),
                                               trips_in(trips_, box({{0, 10}, {3, 6}, {0, 4}}))}));
  const Family family = kernel_.split(std::move(all), {{3, 4}, {}, {1, 2, 3}});
  ASSERT_EQ(parts.size(), family.size());
  for (std::size_t i = 0; i < parts.size(); ++i) EXPECT_EQ(parts[i], trips_in(trips_, family.box(i)));
  EXPECT_EQ(family.left(), 500u) << "the region's debt is its children's";
  const Receipt receipt = kernel_.close();
  EXPECT_EQ(receipt.spent, 500u);
  ASSERT_EQ(receipt.charges.size(), 2u);
  EXPECT_EQ(receipt.charges[0].times, 2u);
  EXPECT_EQ(receipt.charges[1].times, 12u);
}

// Along every axis that is cut, second parts count -1; a last one without a second stands alone.
TEST_F(KernelTest, PartsInPairsAreDifferences) {
  Region all = whole(1000);
  dice_.on_draw = [&] { EXPECT_EQ(all.left(), 700u) << "charged before it is drawn"; };
  const auto pairs = kernel_.count_parts(all, {{3, 4}, {}, {1}}, 300, true);
  dice_.on_draw = [] {};
  const auto of = [&](Interval x, Interval z) { return trips_in(trips_, box({x, {0, 6}, z})); };
  const std::vector<std::int64_t> expected = {
      of({0, 3}, {0, 1}) - of({0, 3}, {1, 4}) - of({3, 4}, {0, 1}) + of({3, 4}, {1, 4}),
      of({4, 10}, {0, 1}) - of({4, 10}, {1, 4})};
  EXPECT_EQ(pairs, expected);
  EXPECT_EQ(kernel_.count_parts(all, {}, 10, true), (std::vector<std::int64_t>{of({0, 10}, {0, 4})}));
  const Receipt receipt = kernel_.close();
  EXPECT_EQ(receipt.spent, 310u);
  EXPECT_EQ(receipt.charges.back().times, 2u);
}

// Sums of counts at the limit stay at the limit, on both sides: one trip more never moves a difference by more than 1.
TEST(KernelLimits, DifferencesAreCutAtTheLimit) {
  MatrixBuilder builder(*Domain::of_shape({2, 4}));
  for (const Cell& cell : std::vector<Cell>{{0, 0}, {1, 1}, {0, 3}, {1, 2}}) builder.add(cell, kMaxCount);
  const Matrix matrix = std::move(builder).build();
  WatchingDice dice;
  Kernel kernel(matrix, dice, 100, 1);
  Region all = only(kernel.open(kernel.view("joint", {0, 1}, 100)));
  const auto most = static_cast<std::int64_t>(kMaxCount);
  EXPECT_EQ(kernel.count_parts(all, {{1}, {1, 2, 3}}, 1, true), (std::vector<std::int64_t>{most, -most}));
}

TEST_F(KernelTest, ListsTheCellsOfARegionByTheirNumbers) {
  std::vector<Region> parts = kernel_.open(kernel_.split(whole(1000), {{2}, {1}}));
  Region& region = parts[0];  // 2 x 1 x 4 cells
  dice_.on_draw = [&] { EXPECT_EQ(region.left(), 900u) << "charged before it is drawn"; };
  const auto listed = kernel_.count_sparsely(region, 100, 3);
  dice_.on_draw = [] {};
  std::vector<std::pair<std::uint64_t, std::int64_t>> expected;
  for (std::uint32_t x = 0; x < 2; ++x) {
    for (std::uint32_t z = 0; z < 4; ++z) {
      const std::int64_t n = trips_in(trips_, box({{x, x + 1}, {0, 1}, {z, z + 1}}));
      if (n >= 3 || x + z == 0) expected.emplace_back(4 * x + z, n);
    }
  }
  ASSERT_GE(expected.size(), 3u);
  ASSERT_EQ(listed.size(), expected.size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    EXPECT_EQ(listed[i].cell, expected[i].first);
    EXPECT_EQ(listed[i].count, expected[i].second);
  }
  EXPECT_EQ(dice_.rates.back().num, 100u);
  const Receipt receipt = kernel_.close();
  EXPECT_EQ(receipt.spent, 100u);
  ASSERT_EQ(receipt.charges.size(), 1u);
  EXPECT_EQ(receipt.charges[0].times, listed.size());
}

// What count_ranks should answer, one box after the other: `boxes_of` are the boxes of every lattice, in order.
std::vector<std::int64_t> ranks_by_definition(const std::vector<Cell>& trips,
                                              const std::vector<std::vector<Box>>& boxes, const RankRule& rule,
                                              std::size_t entries) {
  std::vector<std::int64_t> histogram(entries, 0);
  for (std::size_t lattice = 0; lattice < boxes.size(); ++lattice) {
    for (std::uint64_t number = 0; number < boxes[lattice].size(); ++number) {
      if (!rule.sample(lattice).takes(number)) continue;
      std::vector<RankBand> bands(rule.bands());
      rule.bands_of(lattice, std::array{number}, bands);
      const auto n = static_cast<std::uint64_t>(trips_in(trips, boxes[lattice][number]));
      for (std::uint64_t rank = 1; rank <= n; ++rank) {
        const auto band = std::find_if(bands.begin(), bands.end(), [&](const RankBand& b) { return rank <= b.last; });
        if (band != bands.end() && band->entry < entries) ++histogram[band->entry];
      }
    }
  }
  return histogram;
}

TEST_F(KernelTest, RanksOfAPartOfTheViewAreThoseOfItsTrips) {
  const TableRule rule(
      {{{2, 0}, {5, 1}, {9, 2}}, {{0, 0}, {20, 1}, {20, 2}}, {{1, 2}, {3, RankBand::kNoEntry}, {4, 0}}}, 7);
  std::vector<Region> halves = kernel_.open(kernel_.split(whole(1000), 0, {3}));
  const std::vector<Cuts> lattices = {{{5, 7}, {}, {1, 2}}, {}, {{}, {1, 2, 3, 4, 5}}, {{4, 5, 6, 7, 8, 9}, {3}, {2}}};
  Region& region = halves[1];
  dice_.on_draw = [&] { EXPECT_EQ(region.left(), 600u) << "charged before it is drawn"; };
  const auto counted = kernel_.count_ranks(region, lattices, rule, 3, 400);
  // The region stays whole: another histogram of it costs again, and so do its children's.
  dice_.on_draw = [&] { EXPECT_EQ(region.left(), 500u); };
  EXPECT_EQ(kernel_.count_ranks(region, lattices, rule, 3, 100), counted);
  dice_.on_draw = [] {};
  std::vector<std::vector<Box>> boxes;
  for (const Cuts& cuts : lattices) {
    // Divided the same way by another kernel, for the boxes.
    Kernel other(matrix_, dice_, kOne, 1);
    std::vector<Region> parts = other.open(other.split(only(other.open(other.view("v", {0, 1, 2}, 1))), 0, {3}));
    const Family family = other.split(std::move(parts[1]), cuts);
    boxes.emplace_back();
    for (std::size_t child = 0; child < family.size(); ++child) boxes.back().push_back(family.box(child));
  }
  EXPECT_EQ(counted, ranks_by_definition(trips_, boxes, rule, 3));
  for (const std::int64_t entry : counted) EXPECT_GT(entry, 0);
  const Family family = kernel_.again(std::move(region));
  EXPECT_EQ(family.left(), 500u) << "the region's debt is its children's";
  EXPECT_EQ(halves[0].left(), 1000u) << "and not its sibling's";
  const Receipt receipt = kernel_.close();
  EXPECT_EQ(receipt.spent, 500u);
  ASSERT_EQ(receipt.charges.size(), 2u);
  for (const ChargeLine& line : receipt.charges) {
    EXPECT_EQ(line.purpose, "ranks");
    EXPECT_EQ(line.depth, 1u);
    EXPECT_EQ(line.times, 1u);
  }
}

// The rate is ticks/(1e9 k F), F the number of lattices, whatever the number of entries; a pooled view's path has less
// to spend and the same rate.
TEST_F(KernelTest, RanksHaveNoiseForAllTheirLattices) {
  const TableRule rule({{{2, 0}, {50, 1}}});
  const auto is = [&](Rate rate, std::uint64_t num, std::uint64_t den) {
    return static_cast<u128>(rate.num) * den == static_cast<u128>(rate.den) * num;
  };
  for (const std::uint32_t k : {1u, 5u}) {
    for (const std::size_t lattices : {1u, 2u, 36u}) {
      Kernel kernel(matrix_, dice_, kOne, k);
      Region region = only(kernel.open(kernel.view("joint", {0, 1, 2}, kOne / 2)));
      kernel.count_ranks(region, std::vector<Cuts>(lattices, Cuts{{5}}), rule, 4, 70);
      EXPECT_TRUE(is(dice_.rates.back(), 70, kOne * k * lattices));
      Region pooled = only(kernel.open(kernel.pooled_view("maps", {{0}, {0}}, 200)));
      EXPECT_EQ(pooled.left(), 100u);
      // Axis 0 is the stop's number: a box per stop and half.
      const auto counts = kernel.count_ranks(pooled, std::vector<Cuts>(lattices, Cuts{{1}, {5}}), rule, 2, 100);
      EXPECT_TRUE(is(dice_.rates.back(), 100, kOne * k * lattices));
      std::array<std::int64_t, 2> expected{};
      for (const std::int64_t n :
           {trips_in(trips_, box({{0, 5}, {0, 6}, {0, 4}})), trips_in(trips_, box({{5, 10}, {0, 6}, {0, 4}}))}) {
        expected[0] += 2 * std::min<std::int64_t>(n, 2) * static_cast<std::int64_t>(lattices);
        expected[1] += 2 * std::clamp<std::int64_t>(n - 2, 0, 48) * static_cast<std::int64_t>(lattices);
      }
      EXPECT_EQ(counts, std::vector<std::int64_t>(expected.begin(), expected.end())) << "both stops are looked at";
      EXPECT_EQ(kernel.close().spent, 70u + 200u);
    }
  }
}

// Every histogram has noise of its own, also for entries that no rank counts in.
TEST_F(KernelTest, RanksAreDrawnForEveryEntryUnderNewLabels) {
  StreamDice stream(test_key("ranks"));
  RecordingDice recording(stream);
  Kernel kernel(matrix_, recording, kOne, 1);
  Region region = only(kernel.open(kernel.view("joint", {0, 1, 2}, kOne)));
  const TableRule rule({{{~std::uint64_t{0}, 0}}});
  const auto first = kernel.count_ranks(region, std::vector<Cuts>{{}}, rule, 30, kOne / 100);
  const auto second = kernel.count_ranks(region, std::vector<Cuts>{{}}, rule, 30, kOne / 100);
  EXPECT_NE(first, second);
  EXPECT_GT(std::count_if(first.begin(), first.end(), [](std::int64_t entry) { return entry != 0; }), 20);
  EXPECT_TRUE(recording.faults().empty());
  ASSERT_EQ(recording.transcript().size(), 2u);
  for (const auto& [label, call] : recording.transcript()) EXPECT_EQ(call.truth.size(), 30u);
}

TEST_F(KernelTest, WhatIsKeptBackIsNotLeftUntilItIsTakenBack) {
  kernel_.keep_back(100);
  EXPECT_EQ(kernel_.left(), kOne - 100);
  EXPECT_EQ(kernel_.epsilon(), kOne);
  Family all = root(kernel_.left());
  kernel_.count(all, all.left());
  EXPECT_EQ(kernel_.left(), 0u);
  kernel_.take_back();
  EXPECT_EQ(kernel_.left(), 100u);
  Region region = only(kernel_.open(kernel_.view("after", {0, 1, 2}, kernel_.left())));
  kernel_.count_ranks(region, std::vector<Cuts>{{{5}}}, TableRule({{{3, 0}}}), 1, region.left());
  EXPECT_EQ(kernel_.left(), 0u);
  EXPECT_EQ(kernel_.close().spent, kOne) << "together not a tick more";
}

}  // namespace
}  // namespace stopover
