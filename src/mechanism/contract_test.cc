// What every row of the table of mechanisms promises, whatever it is: run over all of them.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <map>

#include "privacy/stream_dice.h"
#include "testing/every_row.h"
#include "testing/replay_dice.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

struct Published {
  LabResult made;
  Transcript transcript;
};

Published run(const Mechanism& mechanism, const Params& params, const Matrix& matrix, Ticks epsilon,
              std::uint32_t k = 1, std::size_t threads = 1, const char* key = "contract") {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  StreamDice stream(test_key(key));
  RecordingDice recording(stream);
  Kernel kernel(matrix, recording, epsilon, k);
  Published result;
  result.made = run_in_lab(mechanism, params, kernel, k == 1 ? Unit::trip : Unit::user);
  result.transcript = recording.transcript();
  EXPECT_TRUE(recording.faults().empty());
  return result;
}

// For every table the least and the most that a path from a root to a leaf spends.
std::pair<Ticks, Ticks> paths_of(const Table& table) {
  std::vector<Ticks> spent(table.rows());
  Ticks least = UINT64_MAX, most = 0;
  const std::vector<bool> leaves = table.leaves();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    spent[row] = table.row_ticks[row] + table.side_ticks[row];
    if (table.parent[row] >= 0) spent[row] += spent[static_cast<std::size_t>(table.parent[row])];
    if (leaves[row]) least = std::min(least, spent[row]), most = std::max(most, spent[row]);
  }
  return {least, most};
}

void check_contract(const Mechanism& mechanism, const Published& got, Ticks epsilon) {
  const Release& release = got.made.release;
  const Status kept = check_lab_result(got.made);
  EXPECT_TRUE(kept) << kept.error().message;
  ASSERT_FALSE(got.made.tables().empty());
  // Grids over each other are a cover, or contrasts where they count differences; one whose counts stand is plain.
  EXPECT_EQ(got.made.grids.empty(), mechanism.publishes());
  EXPECT_EQ(got.made.differences     ? "contrasts"
            : got.made.kept_from     ? "plain"
            : got.made.grids.empty() ? to_string(release.tables[0].kind)
                                     : "cover",
            mechanism.kind);
  EXPECT_EQ(release.mechanism, mechanism.name);
  EXPECT_EQ(release.epsilon, epsilon);
  EXPECT_LE(release.spent, epsilon);
  EXPECT_GT(release.spent, 0u);
  Ticks sum = 0;
  for (const Table& table : got.made.tables()) {
    ASSERT_GT(table.rows(), 0u);
    const auto [least, most] = paths_of(table);
    EXPECT_LE(most, table.ticks);
    sum += table.ticks;
    EXPECT_TRUE(!mechanism.spends_all || least == epsilon) << table.name << " leaves " << epsilon - least << " ticks";
    if (table.kind != TableKind::partition) continue;
    // The leaves tile the table's axes: their volumes add up (that they do not overlap is check_release's).
    u128 volume = 0;
    const std::vector<bool> leaves = table.leaves();
    for (std::size_t row = 0; row < table.rows(); ++row) volume += leaves[row] ? table.box(row).volume() : 0;
    u128 whole = 1;
    for (std::size_t axis : table.axes) whole *= release.domain.axis(axis).cells;
    EXPECT_TRUE(volume == whole) << table.name;
  }
  EXPECT_LE(sum, epsilon);
  EXPECT_TRUE(!mechanism.spends_all || release.spent == epsilon);
}

// The noise that the rows speak of is the noise that was drawn: same counts at the same rates, one row per draw.
void check_noise(const Published& got, std::uint32_t k) {
  std::map<std::pair<Ticks, std::int64_t>, std::int64_t> balance;
  for (const auto& [label, call] : got.transcript) {
    if (call.purpose == Purpose::gradual) {
      const std::size_t pairs =
          call.output.size() / 2;  // hidden ones first; a revealed one takes the coarse one's place
      for (std::size_t i = 0; i < pairs; ++i) {
        const bool revealed = call.revealed[i];
        ++balance[{static_cast<Ticks>(call.parameters[revealed ? 0 : 2]),
                   static_cast<std::int64_t>(call.output[revealed ? i : pairs + i])}];
      }
    }
    if (call.purpose == Purpose::sparse) {
      for (std::size_t i = 1; i < call.output.size(); i += 2)
        ++balance[{static_cast<Ticks>(call.parameters[0]), static_cast<std::int64_t>(call.output[i])}];
    }
    if (call.purpose != Purpose::count) continue;
    EXPECT_TRUE(call.parameters[1] == u128{kTicksPerEpsilon} * k);
    for (i128 value : call.output)
      ++balance[{static_cast<Ticks>(call.parameters[0]), static_cast<std::int64_t>(value)}];
  }
  for (const Table& table : got.made.tables()) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (table.row_ticks[row] > 0) --balance[{table.row_ticks[row], table.count[row]}];
    }
  }
  for (const auto& [key, difference] : balance) EXPECT_EQ(difference, 0) << key.second << " at " << key.first;
}

// What was refined stands beside what it was before: pairs that were drawn together and revealed, each once. All of
// them, but for counts of several stops together, which stand in no row.
void check_refined(const Published& got, bool all) {
  std::map<std::array<std::int64_t, 4>, std::int64_t> refined;  // both prices and both values
  for (const auto& [label, call] : got.transcript) {
    if (call.purpose != Purpose::gradual) continue;
    const std::size_t pairs = call.output.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
      if (!call.revealed[i]) continue;
      ++refined[{static_cast<std::int64_t>(call.parameters[2]), static_cast<std::int64_t>(call.output[pairs + i]),
                 static_cast<std::int64_t>(call.parameters[0]), static_cast<std::int64_t>(call.output[i])}];
    }
  }
  for (const Table& table : got.made.tables()) {
    for (std::size_t row = 0; row < table.coarse_ticks.size(); ++row) {
      if (table.coarse_ticks[row] == 0) continue;
      --refined[{static_cast<std::int64_t>(table.coarse_ticks[row]), table.coarse_count[row],
                 static_cast<std::int64_t>(table.row_ticks[row]), table.count[row]}];
    }
  }
  for (const auto& [pair, left] : refined) EXPECT_TRUE(left == 0 || (left > 0 && !all)) << pair[1] << " to " << pair[3];
}

// Millions of boxes show nothing new.
class Contract : public EveryRow {
 protected:
  Contract() : EveryRow({{"max_partitions", "20000"}, {"zeros", "2000"}}) {}
};

std::vector<std::vector<std::uint64_t>> shapes_to_survive() {
  std::vector<std::vector<std::uint64_t>> shapes = {{1},      {1, 1},       {1, 1, 1, 1}, {7, 1},
                                                    {1, 300}, {5, 1, 5, 1}, {120, 120},   {1000, 1000}};
  for (std::size_t d = 1; d <= kMaxAxes; ++d) shapes.emplace_back(d, d <= 3 ? 9 : d <= 6 ? 4 : 2);
  shapes.emplace_back(6, 1000);
  return shapes;
}

TEST_P(Contract, SurvivesAnythingDeclaredAndKeepsItsWord) {
  int runs = 0;
  for (const auto& shape : shapes_to_survive()) {
    if (!fits(shape)) continue;
    for (std::size_t trips : {0u, 1u, 200u}) {
      std::mt19937_64 random(trips);
      Trips data{shape, {}};
      for (std::size_t i = 0; i < trips; ++i) {
        std::vector<std::uint32_t> cell;
        for (std::uint64_t width : shape) cell.push_back(static_cast<std::uint32_t>(random() % ((width + 1) / 2)));
        data.cells.push_back(cell);
      }
      for (Ticks epsilon : {Ticks{1000}, Ticks{100'000'000}, Ticks{100'000'000'000}}) {
        SCOPED_TRACE(std::string(mechanism_.name) + " on " + data.text() + ", epsilon " + format_epsilon(epsilon));
        const Published got = run(mechanism_, params_, data.matrix(), epsilon);
        check_contract(mechanism_, got, epsilon);
        if (mechanism_.spends_all) check_noise(got, 1);
        check_refined(got, mechanism_.spends_all);
        if (HasFatalFailure()) return;
        ++runs;
      }
    }
  }
  EXPECT_GE(runs, 9);
}

TEST_P(Contract, OneTickIsEnoughToRun) {
  if (!fits({6, 6})) return;
  const Matrix two = Trips{.shape = {6, 6}, .cells = {{1, 1}, {2, 5}}}.matrix();
  for (Ticks epsilon = 1; epsilon <= 12; ++epsilon) {
    const Published got = run(mechanism_, params_, two, epsilon);
    SCOPED_TRACE(std::string(mechanism_.name) + ", ticks " + std::to_string(epsilon));
    check_contract(mechanism_, got, epsilon);
  }
}

TEST_P(Contract, SameKeySameBytesForAnyThreadsAndAnotherKeyIsAnotherRelease) {
  for (const auto& shape : std::vector<std::vector<std::uint64_t>>{{60, 60}, {12, 12, 12, 12}}) {
    if (!fits(shape)) continue;
    std::mt19937_64 random(7);
    Trips data{shape, {}};
    for (int i = 0; i < 3000; ++i) {
      std::vector<std::uint32_t> cell;
      for (std::uint64_t width : shape)
        cell.push_back(static_cast<std::uint32_t>(random() % width * (random() % width) / width));
      data.cells.push_back(cell);
    }
    const Matrix matrix = data.matrix();
    const LabResult one = run(mechanism_, params_, matrix, kTicksPerEpsilon, 1, 1).made;
    EXPECT_TRUE(one == run(mechanism_, params_, matrix, kTicksPerEpsilon, 1, 1).made);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(one == run(mechanism_, params_, matrix, kTicksPerEpsilon, 1, 8).made);
    EXPECT_FALSE(one == run(mechanism_, params_, matrix, kTicksPerEpsilon, 1, 1, "another").made);
    std::shuffle(data.cells.begin(), data.cells.end(), random);
    EXPECT_TRUE(one == run(mechanism_, params_, data.matrix(), kTicksPerEpsilon, 1, 1).made);
    // Users of more trips: the rates are divided, the rest of the contract holds.
    const Published user = run(mechanism_, params_, matrix, kTicksPerEpsilon, 5, 1);
    check_contract(mechanism_, user, kTicksPerEpsilon);
    if (mechanism_.spends_all) check_noise(user, 5);
    check_refined(user, mechanism_.spends_all);
    EXPECT_EQ(user.made.release.k, 5u);
  }
}

// Skipping what is truly empty would tell where nothing is.
TEST_P(Contract, EmptyBoxesArePublishedLikeFullOnes) {
  if (!mechanism_.spends_all || !fits({16, 16})) return;
  const Matrix one = Trips{.shape = {16, 16}, .cells = {{3, 3}}}.matrix();
  const LabResult made = run(mechanism_, params_, one, 20 * kTicksPerEpsilon).made;
  const Table& table = made.tables()[0];
  const std::vector<bool> leaves = table.leaves();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    EXPECT_TRUE(!leaves[row] || table.row_ticks[row] > 0) << "leaf " << row << " was not measured";
  }
}

// Whatever post-processing does: what was counted far above its noise is not moved out of its own noise, in a domain
// that is otherwise empty. (12 scales: a count is off by more once in 160,000 times; what else was counted of a box may
// move it.)
TEST_P(Contract, LargeCountsStayWithinTheirNoise) {
  if (!mechanism_.publishes()) return;
  for (const std::vector<std::uint64_t>& shape :
       std::vector<std::vector<std::uint64_t>>{{400}, {90, 90}, {9, 9, 9, 9}}) {
    if (!fits(shape)) continue;
    Trips data{shape, {}};
    data.cells.assign(4000, std::vector<std::uint32_t>(shape.size(), 5));
    for (const char* key : {"1", "2", "3"}) {
      const Release release = run(mechanism_, params_, data.matrix(), kTicksPerEpsilon / 2, 1, 1, key).made.release;
      const Table& table = release.tables[0];
      // Trees of several levels hand totals down from above: decisions.md.
      const bool flat = *std::max_element(table.depth.begin(), table.depth.end()) <= 1;
      if (!flat && mechanism_.name != "zones") continue;
      const std::vector<bool> leaves = table.leaves();
      for (std::size_t row = 0; row < table.rows(); ++row) {
        const double scale = 1 / release.rate(table.row_ticks[row]);
        const auto count = static_cast<double>(table.count[row]);
        if (!leaves[row] || table.row_ticks[row] == 0 || count < 50 * scale) continue;
        EXPECT_NEAR(table.estimate[row], count, 12 * scale) << mechanism_.name << ", row " << row;
      }
    }
  }
}

STOPOVER_EVERY_ROW(Contract);

}  // namespace
}  // namespace stopover
