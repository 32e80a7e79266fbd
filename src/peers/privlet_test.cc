#include "peers/privlet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "peers/haar.h"
#include "peers/haar_answerer.h"
#include "peers/lab_run.h"
#include "privacy/stream_dice.h"
#include "query/box_index.h"
#include "testing/exact_dice.h"
#include "testing/replay_dice.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

LabResult publish(const Trips& trips, Dice& dice, Ticks epsilon = kTicksPerEpsilon) {
  const Mechanism& mechanism = *find_mechanism("privlet");
  const Matrix matrix = trips.matrix();
  Kernel kernel(matrix, dice, epsilon, 1);
  return run_in_lab(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
}

std::vector<std::int64_t> values_of(const LabResult& made) {
  std::vector<std::int64_t> values;
  for (const Table& grid : made.grids) values.insert(values.end(), grid.count.begin() + 1, grid.count.end());
  return values;
}

// By hand. (9, 3, 6, 2): all 20; halves 12 - 8; neighbours 9 - 3 and 6 - 2.
TEST(Privlet, CoefficientsOfFourCells) {
  ExactDice exact;
  const LabResult made = publish(filled({4}, {9, 3, 6, 2}), exact);
  EXPECT_TRUE(check_lab_result(made)) << check_lab_result(made).error().message;
  EXPECT_EQ(values_of(made), (std::vector<std::int64_t>{20, 4, 6, 4}));
  EXPECT_EQ(made.release.spent, kTicksPerEpsilon);
  ASSERT_EQ(made.grids.size(), 3u);
  for (const Table& grid : made.grids) {
    for (std::size_t row = 0; row < grid.rows(); ++row) {
      const Ticks ticks = grid.row_ticks[row];
      EXPECT_TRUE(grid.parent[row] < 0 ? ticks == 0 : ticks == 333'333'333 || ticks == 333'333'334) << row;
    }
  }
}

// By hand. 5 1 / 2 7: all 15; columns 7 - 8; rows 6 - 9; 5 - 1 - 2 + 7.
TEST(Privlet, CoefficientsOfTwoByTwoCells) {
  ExactDice exact;
  const LabResult made = publish(filled({2, 2}, {5, 1, 2, 7}), exact);
  EXPECT_EQ(values_of(made), (std::vector<std::int64_t>{15, -1, -3, 9}));
  EXPECT_EQ(made.grids.size(), 4u);
}

// 4 x 4 by hand at one grid: level 1 of the first axis and level 2 of the second are blocks of 4 x 2.
TEST(Privlet, CoefficientsOfFourByFourCells) {
  ExactDice exact;
  const LabResult made = publish(filled({4, 4}, {1, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 1, 0, 0, 5, 0}), exact);
  const Table& table = made.grids[1 * 3 + 2];
  EXPECT_EQ(table.box(0), made.release.domain.whole());
  // Columns 0 and 1: (1 + 0) - (0 + 3) above, (4 + 0) - (0 + 0) below. Columns 2 and 3: 2 above, 5 - 1 below.
  EXPECT_EQ(table.count[1], (1 - 3) - 4);
  EXPECT_EQ(table.count[2], 2 - (5 - 1));
}

// Without noise every box comes back, whatever the sides: so the weights are the inverse of the transform.
TEST(Privlet, EveryBoxComesBack) {
  for (const std::vector<std::uint64_t>& shape :
       std::vector<std::vector<std::uint64_t>>{{8}, {5, 3}, {4, 4}, {3, 2, 6}}) {
    std::mt19937_64 random(5);
    Trips trips{shape, {}};
    for (int i = 0; i < 300; ++i) {
      std::vector<std::uint32_t> cell;
      for (std::uint64_t width : shape)
        cell.push_back(static_cast<std::uint32_t>(random() % width * (random() % width) / width));
      trips.cells.push_back(cell);
    }
    ExactDice exact;
    const LabResult made = publish(trips, exact);
    const Result<HaarAnswerer> ask = HaarAnswerer::make(made, {});
    ASSERT_TRUE(ask) << ask.error().message;
    for (int i = 0; i < 400; ++i) {
      std::vector<Interval> sides;
      for (std::uint64_t width : shape) {
        const auto a = static_cast<std::uint32_t>(random() % width), b = static_cast<std::uint32_t>(random() % width);
        sides.push_back({std::min(a, b), std::max(a, b) + 1});
      }
      const Box box(sides);
      const auto inside = std::count_if(trips.cells.begin(), trips.cells.end(), [&](const auto& cell) {
        for (std::size_t axis = 0; axis < cell.size(); ++axis) {
          if (cell[axis] < box[axis].lo || cell[axis] >= box[axis].hi) return false;
        }
        return true;
      });
      const Answer answer = (*ask)(BoxQuery::of(box));
      EXPECT_NEAR(answer.estimate, static_cast<double>(inside), 1e-9);
      EXPECT_TRUE(answer.aligned);
    }
  }
}

// The paper's bound: a range of a vector of m cells has variance at most 2 lambda^2 (2 + log2 m)/2, lambda = (1 + log2
// m)/epsilon (Lemma 3; half its lambda, as neighbours differ by a trip added); the identity's grows with the range.
TEST(Privlet, RangesHaveTheVarianceOfThePaper) {
  constexpr double kEpsilon = 0.1, kLambda = (1 + 6) / kEpsilon, kBound = 2 * kLambda * kLambda * (2 + 6) / 2;
  const Trips empty{{64}, {}};
  std::vector<Box> ranges;
  for (std::uint32_t lo = 0; lo < 64; lo += 3) {
    for (std::uint32_t hi = 64; hi > lo; hi -= std::min(hi - lo, 5u))
      ranges.push_back(Box(std::vector<Interval>{{lo, hi}}));
  }
  constexpr int kRuns = 1000;
  std::vector<double> squares(ranges.size(), 0), claimed(ranges.size(), 0);
  std::size_t held = 0;
  for (int run = 0; run < kRuns; ++run) {
    StreamDice dice(test_key("privlet " + std::to_string(run)));
    const LabResult made = publish(empty, dice, kTicksPerEpsilon / 10);
    const HaarAnswerer ask = *HaarAnswerer::make(made, {Estimates::consistent, 0.95, run % 50 == 0});
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const Answer answer = ask(BoxQuery::of(ranges[i]));
      squares[i] += answer.estimate * answer.estimate / kRuns;
      claimed[i] = answer.noise_variance;
      held += run % 50 == 0 && answer.noise_lower <= 0 && answer.noise_upper >= 0;
    }
  }
  double most = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_LE(claimed[i], kBound);
    EXPECT_NEAR(squares[i] / claimed[i], 1, 0.5)
        << ranges[i][0].lo << " to " << ranges[i][0].hi;  // 7 deviations where one noise decides
    most = std::max(most, claimed[i]);
  }
  EXPECT_GT(most, 0.45 * kBound);  // here 0.466: no two weights reach their largest together
  EXPECT_NEAR(static_cast<double>(held) / (kRuns / 50 * static_cast<double>(ranges.size())), 0.95, 0.03);
}

// Every draw of the transcript is one row, at the rate that its row speaks of.
TEST(Privlet, RowsAreTheDraws) {
  StreamDice stream(test_key("privlet rows"));
  RecordingDice recording(stream);
  const LabResult made = publish(filled({3, 3}, {4, 0, 1, 0, 0, 0, 2, 0, 9}), recording);
  std::multiset<std::pair<Ticks, std::int64_t>> drawn, rows;
  for (const auto& [label, call] : recording.transcript()) {
    for (i128 value : call.output)
      drawn.emplace(static_cast<Ticks>(call.parameters[0]), static_cast<std::int64_t>(value));
  }
  for (const Table& table : made.grids) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (table.row_ticks[row] > 0) rows.emplace(table.row_ticks[row], table.count[row]);
    }
  }
  EXPECT_EQ(drawn, rows);
}

TEST(Privlet, RefusesDomainsBeyondItsReach) {
  const Mechanism& mechanism = *find_mechanism("privlet");
  EXPECT_TRUE(check_in_lab(mechanism, *read_params(mechanism, {}), *Domain::of_shape({1000, 1000})));
  const Status refused =
      check_in_lab(mechanism, *read_params(mechanism, {}), *Domain::of_shape({1000, 1000, 1000, 1000}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.substr(0, 46), "privlet has a coefficient for every cell, and ");
}

TEST(Privlet, IsNotAskedAsARelease) {
  ExactDice exact;
  const LabResult made = publish(filled({4}, {9, 3, 6, 2}), exact);
  EXPECT_FALSE(BoxIndex::make(made.release));
  EXPECT_FALSE(check_release(made.release));
  LabResult other = made;
  std::swap(other.grids[2].lo[0][1], other.grids[2].lo[0][2]);
  EXPECT_FALSE(HaarAnswerer::make(other, {}));
  other = made;
  other.grids.pop_back();
  EXPECT_FALSE(HaarAnswerer::make(other, {}));
}

}  // namespace
}  // namespace stopover
