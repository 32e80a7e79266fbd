// A pass over rows (tally.h) against the definition: every row by itself, whatever the batches, hands and pieces.
#include "matrix/tally.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <thread>

#include "matrix/count_source.h"

namespace stopover {
namespace {

struct Rows {
  std::vector<std::uint32_t> cells;
  std::vector<std::uint64_t> counts;
  CellRows some(std::size_t first, std::size_t n, std::size_t d) const {
    return {std::span(cells).subspan(first * d, n * d), std::span(counts).subspan(first, n)};
  }
};

// Two axes, of 7 and 5 cells; a tree of four boxes, and lattices of few boxes, of all cells, and of a sample.
TallyTask task_of() {
  TallyTask task;
  task.widths = {7, 5};
  task.tree = {{0, 3, 1, ~2}, {1, 2, ~0, 2}, {0, 1, ~1, ~3}};
  task.root = 0;
  task.slots = 4;
  task.lattices.push_back({{{2, 4}, {}}, {}});
  task.lattices.push_back({{{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4}}, {}});
  task.lattices.push_back({{{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4}}, {9, BoxSample::kAll / 2}});
  return task;
}

Rows random_rows(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Rows rows;
  for (std::size_t i = 0; i < n; ++i) {
    rows.cells.push_back(static_cast<std::uint32_t>(random() % 7));
    rows.cells.push_back(static_cast<std::uint32_t>(random() % 5));
    rows.counts.push_back(random() % 9 == 0 ? kMaxCount - random() % 3 : random() % 4);
  }
  return rows;
}

using Sums = std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t>;  // (lattice, box), the tree last

Sums by_definition(const TallyTask& task, const Rows& rows) {
  Sums sums;
  const auto add = [&](std::size_t which, std::uint64_t box, std::uint64_t count) {
    if (count == 0) return;
    std::uint64_t& sum = sums[{which, box}];
    sum = std::min(kMaxCount, sum + std::min(count, kMaxCount));
  };
  for (std::size_t row = 0; row < rows.counts.size(); ++row) {
    const std::uint32_t x = rows.cells[2 * row], y = rows.cells[2 * row + 1];
    add(3, x >= 3 ? 2 : y < 2 ? 0 : x < 1 ? 1 : 3, rows.counts[row]);
    add(0, (x >= 2) + (x >= 4), rows.counts[row]);
    add(1, 5 * x + y, rows.counts[row]);
    if (task.lattices[2].sample.takes(5 * x + y)) add(2, 5 * x + y, rows.counts[row]);
  }
  return sums;
}

Sums sums_of(Tally& tally) {
  Sums sums;
  for (std::size_t slot = 0; slot < tally.task().slots; ++slot) {
    if (tally.slot(slot) > 0) sums[{3, slot}] = tally.slot(slot);
  }
  for (std::size_t l = 0; l < tally.task().lattices.size(); ++l) {
    const auto [boxes, counts] = tally.boxes(l);
    EXPECT_TRUE(std::is_sorted(boxes.begin(), boxes.end()));
    for (std::size_t i = 0; i < boxes.size(); ++i) sums[{l, static_cast<std::uint64_t>(boxes[i])}] = counts[i];
  }
  return sums;
}

TEST(Tally, IsTheSumOverRowsWhateverTheBatches) {
  const TallyTask task = task_of();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Rows rows = random_rows(1 + seed * 3, seed);
    const Sums expected = by_definition(task, rows);
    for (const std::size_t batch : {1u, 2u, 7u, 1000u}) {
      Tally tally(task);
      {
        TallyHand one(tally), two(tally);
        for (std::size_t at = 0, i = 0; at < rows.counts.size(); at += batch, ++i)
          (i % 2 == 0 ? one : two).add(rows.some(at, std::min(batch, rows.counts.size() - at), 2));
      }
      ASSERT_EQ(sums_of(tally), expected) << "seed " << seed << ", batches of " << batch;
    }
  }
}

TEST(Tally, ThreadsAndPiecesFromElsewhereAddUp) {
  const TallyTask task = task_of();
  const Rows rows = random_rows(40'000, 5);
  const Sums expected = by_definition(task, rows);
  Tally tally(task);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        TallyHand hand(tally);
        for (std::size_t at = t * 100; at < rows.counts.size(); at += 400) hand.add(rows.some(at, 100, 2));
      });
    }
  }
  EXPECT_EQ(sums_of(tally), expected);
  // Two pieces, each somewhere else, put together.
  Tally whole(task);
  for (std::size_t piece = 0; piece < 2; ++piece) {
    Tally part(task);
    TallyHand(part).add(rows.some(piece * 20'000, 20'000, 2));
    for (const auto& [where, count] : sums_of(part)) {
      if (where.first == 3) {
        whole.add_slot(where.second, count);
      } else {
        whole.add_box(where.first, where.second, count);
      }
    }
  }
  EXPECT_EQ(sums_of(whole), expected);
}

// Slots that are known are not counted again, and cost no room.
TEST(Tally, CountsFromTheFirstSlotOn) {
  TallyTask task = task_of();
  task.first_slot = 2;
  const Rows rows = random_rows(500, 6);
  Tally tally(task);
  TallyHand(tally).add(rows.some(0, 500, 2));
  const Sums expected = by_definition(task, rows);
  for (std::size_t slot = 2; slot < 4; ++slot) EXPECT_EQ(tally.slot(slot), expected.at({3, slot}));
}

TEST(Tally, SamplesAboutAsManyBoxesAsItSays) {
  const BoxSample tenth{77, BoxSample::kAll / 10};
  int taken = 0;
  for (std::uint64_t box = 0; box < 100'000; ++box) taken += tenth.takes(box);
  EXPECT_NEAR(taken, 10'000, 500);  // five deviations
  EXPECT_TRUE((BoxSample{77, BoxSample::kAll}.takes(3)));
}

TEST(TallyDeathTest, LatticesThatAreNone) {
  TallyTask task = task_of();
  task.lattices[0].cuts = {{9}};
  EXPECT_DEATH(Tally{task}, "strictly inside");
}

}  // namespace
}  // namespace stopover
