#include "ingest/piece_tally.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "disk/private_folder.h"
#include "duck/duck.h"
#include "matrix/matrix.h"

namespace stopover {
namespace {

// A tree of three boxes on two axes of 10 and 7, a lattice of counters, one of which boxes are a sample, a large one.
TallyTask some_task() {
  TallyTask task;
  task.widths = {10, 7};
  task.tree = {{0, 4, ~2, 1}, {1, 3, ~3, ~4}};
  task.root = 0;
  task.first_slot = 2;
  task.slots = 5;
  task.lattices.push_back({{{2, 5}, {1}}, {}});
  task.lattices.push_back({{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 4, 5, 6}}, {99, BoxSample::kAll / 2}});
  return task;
}

struct Rows {
  std::vector<std::int64_t> a, b, counts;
};
Rows random_rows(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Rows rows;
  for (std::size_t i = 0; i < n; ++i) {
    rows.a.push_back(static_cast<std::int64_t>(random() % 12) - 1);  // -1 and 10 are no cells
    rows.b.push_back(static_cast<std::int64_t>(random() % 7));
    rows.counts.push_back(static_cast<std::int64_t>(random() % 5) - 1);  // -1 is none, 0 no trip
  }
  return rows;
}

Status add(PieceTally& piece, const Rows& rows) {
  const std::vector<std::span<const std::int64_t>> columns = {rows.a, rows.b};
  return piece.add(columns, rows.counts);
}

void write(const std::string& path, const TallySums& sums) {
  Result<DuckSession> duck = DuckSession::open();
  ASSERT_TRUE(duck->load(
      "sums",
      {DuckColumn::of("lattice", sums.lattice), DuckColumn::of("box", sums.box), DuckColumn::of("count", sums.count)},
      sums.box.size()));
  ASSERT_TRUE(duck->run("COPY sums TO " + quote_output(path) + " (FORMAT parquet)"));
}

TEST(PieceTally, TasksComeBackAsTheyWere) {
  const TallyTask task = some_task();
  const std::string bytes = task_bytes(task);
  const Result<TallyTask> read = task_of_bytes(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(task_bytes(*read), bytes);
  EXPECT_EQ(read->widths, task.widths);
  EXPECT_EQ(read->lattices[1].sample.keep, task.lattices[1].sample.keep);
}

// The maps of the stops are lattices without a tree.
TEST(PieceTally, LatticesAlone) {
  TallyTask task;
  task.widths = {10, 7};
  task.lattices.push_back({{{2, 5}, {}}, {}});
  Result<PieceTally> piece = PieceTally::of(task_bytes(task));
  ASSERT_TRUE(piece);
  ASSERT_TRUE(add(*piece, {{0, 4, 9}, {0, 1, 6}, {1, 2, 3}}));
  const TallySums sums = piece->sums();
  EXPECT_EQ(sums.lattice, (std::vector<std::int32_t>{0, 0, 0, -2, -2, -2, -2}));
  EXPECT_EQ(sums.count, (std::vector<std::int64_t>{1, 2, 3, 3, 6, 0, 0}));
  task.root = 0;
  EXPECT_FALSE(PieceTally::of(task_bytes(task))) << "a tree without nodes";
}

// Any byte more, less or other is a task that counts something else, or none; never a crash.
TEST(PieceTally, NoBytesEndTheProcess) {
  const std::string bytes = task_bytes(some_task());
  for (std::size_t length = 0; length < bytes.size(); ++length) EXPECT_FALSE(task_of_bytes(bytes.substr(0, length)));
  EXPECT_FALSE(task_of_bytes(bytes + "12345678"));
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string other = bytes;
    for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes)
      other[random() % other.size()] = static_cast<char>(random() % 4 == 0 ? random() % 256 : random() % 12);
    Result<TallyTask> task = task_of_bytes(other);
    if (!task || task->slots > 1000 || task->widths[0] > 1000 || task->widths[1] > 1000) continue;
    Result<PieceTally> piece = PieceTally::of(other);
    ASSERT_TRUE(piece);
    (void)add(*piece, random_rows(50, random()));
    (void)piece->sums();
  }
}

// Sums of pieces, added up from files, are those of all rows at once; and so is what was seen of them.
TEST(PieceTally, PiecesAddUp) {
  const TallyTask task = some_task();
  const PrivateFolder folder = *PrivateFolder::make(temporary_place(), "piece-test-");
  Tally whole(task), together(task);
  RowsSeen seen;
  std::vector<std::string> files;
  {
    TallyHand hand(whole);
    for (std::size_t i = 0; i < 4; ++i) {
      const Rows rows = random_rows(i == 2 ? 0 : 1000, i);
      Result<PieceTally> piece = PieceTally::of(task_bytes(task));
      ASSERT_TRUE(add(*piece, rows));
      files.push_back(folder.path() + "/" + std::to_string(i) + ".parquet");
      write(files.back(), piece->sums());
      for (std::size_t row = 0; row < rows.a.size(); ++row) {
        const bool inside = rows.a[row] >= 0 && rows.a[row] < 10;
        seen.dropped.outside += inside ? 0 : 1;
        seen.dropped.bad_count += inside && rows.counts[row] < 0 ? 1 : 0;
        if (!inside || rows.counts[row] <= 0) continue;
        const std::array cell = {static_cast<std::uint32_t>(rows.a[row]), static_cast<std::uint32_t>(rows.b[row])};
        const auto count = static_cast<std::uint64_t>(rows.counts[row]);
        hand.add({cell, std::span(&count, 1)});
        ++seen.rows;
        seen.trips += count;
      }
    }
  }
  const Result<RowsSeen> found = add_sums(files, together);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(*found == seen);
  EXPECT_GT(seen.rows, 1000u);
  for (std::size_t slot = 2; slot < 5; ++slot) EXPECT_EQ(together.slot(slot), whole.slot(slot));
  for (std::size_t lattice = 0; lattice < 2; ++lattice) EXPECT_EQ(together.boxes(lattice), whole.boxes(lattice));
}

// Cut, not wrapped: pieces that are full stay full together.
TEST(PieceTally, SumsAreCut) {
  const TallyTask task = some_task();
  const PrivateFolder folder = *PrivateFolder::make(temporary_place(), "piece-test-");
  const auto most = static_cast<std::int64_t>(kMaxCount);
  write(folder.path() + "/a.parquet", {{-1, 0, -2}, {2, 1, 1}, {most, most, most}});
  std::vector<std::string> files(5, folder.path() + "/a.parquet");
  Tally tally(task);
  const Result<RowsSeen> seen = add_sums(files, tally);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->trips, kMaxCount);
  EXPECT_EQ(tally.slot(2), kMaxCount);
  EXPECT_EQ(tally.boxes(0).second, std::vector<std::uint64_t>{kMaxCount});
}

TEST(PieceTally, SumsThatWereNotAskedForAreRefused) {
  const TallyTask task = some_task();
  const PrivateFolder folder = *PrivateFolder::make(temporary_place(), "piece-test-");
  const std::string file = folder.path() + "/a.parquet";
  std::uint64_t not_taken = 0;
  while (task.lattices[1].sample.takes(not_taken)) ++not_taken;
  const std::vector<TallySums> bad = {
      {{-1}, {1}, {5}}, {{-1}, {5}, {5}},  {{0}, {6}, {5}},  {{2}, {0}, {5}},
      {{-3}, {0}, {5}}, {{-1}, {-2}, {5}}, {{0}, {0}, {-5}}, {{1}, {static_cast<std::int64_t>(not_taken)}, {5}}};
  for (const TallySums& sums : bad) {
    write(file, sums);
    Tally tally(task);
    EXPECT_FALSE(add_sums({file}, tally)) << sums.lattice[0] << " " << sums.box[0] << " " << sums.count[0];
  }
  const std::vector<std::int64_t> one = {1};
  Result<PieceTally> piece = PieceTally::of(task_bytes(task));
  const std::vector<std::span<const std::int64_t>> single = {one};
  EXPECT_FALSE(piece->add(single, std::nullopt)) << "one column of two";
}

}  // namespace
}  // namespace stopover
