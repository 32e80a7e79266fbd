// The scores against their definitions in exact fractions, and their sensitivities by trying everything small.
#include "privacy/score.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>

namespace stopover {
namespace {

using GroupCounts = std::vector<std::uint64_t>;  // dense, last axis fastest
using Groups = std::vector<std::vector<std::uint32_t>>;

std::vector<std::uint32_t> cell_of(std::size_t index, const std::vector<std::uint64_t>& shape) {
  std::vector<std::uint32_t> cell(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; index /= shape[axis]) {
    cell[axis] = static_cast<std::uint32_t>(index % shape[axis]);
  }
  return cell;
}

Matrix matrix_of(const GroupCounts& counts, const std::vector<std::uint64_t>& shape) {
  MatrixBuilder builder(*Domain::of_shape(shape));
  for (std::size_t i = 0; i < counts.size(); ++i) builder.add(cell_of(i, shape), counts[i]);
  return std::move(builder).build();
}

std::vector<std::uint64_t> scores(const GroupCounts& counts, const std::vector<std::uint64_t>& shape, std::size_t axis,
                                  const Groups& candidates, Score score = Score::homogeneity) {
  const Matrix matrix = matrix_of(counts, shape);
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back(i);
  const View view("v", MatrixSource(matrix), {axes}, false, 1, 0);
  return penalties(view, 0, view.keys.size(), view.whole, axis, candidates, score);
}

// The same by the function for single cuts of any axes.
std::vector<std::uint64_t> single_scores(const GroupCounts& counts, const std::vector<std::uint64_t>& shape,
                                         const std::vector<AxisCut>& candidates, Score score) {
  const Matrix matrix = matrix_of(counts, shape);
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back(i);
  const View view("v", MatrixSource(matrix), {axes}, false, 1, 0);
  return penalties(view, 0, view.keys.size(), view.whole, candidates, score);
}

std::vector<AxisCut> all_single_cuts(const std::vector<std::uint64_t>& shape) {
  std::vector<AxisCut> cuts;
  for (std::uint32_t axis = 0; axis < shape.size(); ++axis) {
    for (std::uint32_t cut = 1; cut < shape[axis]; ++cut) cuts.push_back({axis, cut});
  }
  return cuts;
}

// Sum over intervals of floor(sum over cells |f - n/V|) = floor(sum |V f - n| / V), every cell visited.
std::uint64_t by_definition(const GroupCounts& counts, const std::vector<std::uint64_t>& shape, std::size_t axis,
                            const std::vector<std::uint32_t>& cuts) {
  std::uint64_t score = 0;
  for (std::size_t part = 0; part <= cuts.size(); ++part) {
    const std::uint32_t lo = part == 0 ? 0 : cuts[part - 1];
    const std::uint32_t hi = part == cuts.size() ? static_cast<std::uint32_t>(shape[axis]) : cuts[part];
    i128 n = 0, volume = 0, deviation = 0;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::uint32_t place = cell_of(i, shape)[axis];
        if (place < lo || place >= hi) continue;
        const i128 f = static_cast<i128>(counts[i]);
        if (pass == 0) {
          n += f;
          ++volume;
        } else {
          deviation += f * volume > n ? f * volume - n : n - f * volume;
        }
      }
    }
    score += static_cast<std::uint64_t>(deviation / volume);
  }
  return score;
}

Groups all_cut_sets(std::uint64_t width) {
  Groups sets;
  for (std::uint32_t bits = 0; bits < 1u << (width - 1); ++bits) {
    std::vector<std::uint32_t> cuts;
    for (std::uint32_t edge = 1; edge < width; ++edge) {
      if (bits >> (edge - 1) & 1) cuts.push_back(edge);
    }
    sets.push_back(cuts);
  }
  return sets;
}

TEST(Score, HomogeneityIsItsDefinition) {
  std::mt19937_64 random(1);
  for (const auto& shape : std::vector<std::vector<std::uint64_t>>{{8}, {12}, {3, 5}, {6, 4}, {2, 3, 4}, {1, 7}}) {
    std::size_t cells = 1;
    for (std::uint64_t width : shape) cells *= width;
    for (int round = 0; round < 60; ++round) {
      GroupCounts counts(cells, 0);
      const int style = round % 4;  // sparse, dense, mixed, huge
      for (auto& count : counts) {
        if (style == 0) count = random() % 5 == 0;
        if (style == 1) count = 50 + random() % 100;
        if (style == 2) count = random() % 3 == 0 ? random() % 1000 : random() % 2;
        if (style == 3) count = random() % kMaxCount;
      }
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const Groups candidates = all_cut_sets(shape[axis]);
        const auto ours = scores(counts, shape, axis, candidates);
        for (std::size_t i = 0; i < candidates.size(); i += 1 + random() % 40) {
          EXPECT_EQ(ours[i], by_definition(counts, shape, axis, candidates[i]));
        }
      }
    }
  }
}

// Most trips in an interval less the fewest.
std::uint64_t balance_by_definition(const GroupCounts& counts, const std::vector<std::uint64_t>& shape,
                                    std::size_t axis, const std::vector<std::uint32_t>& cuts) {
  std::vector<std::uint64_t> sums(cuts.size() + 1, 0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::size_t part = 0;
    for (std::uint32_t cut : cuts) part += cell_of(i, shape)[axis] >= cut;
    sums[part] = std::min(kMaxCount, sums[part] + counts[i]);
  }
  return *std::max_element(sums.begin(), sums.end()) - *std::min_element(sums.begin(), sums.end());
}

TEST(Score, SingleCutsOfAnyAxesHaveTheSameScores) {
  std::mt19937_64 random(3);
  for (const auto& shape : std::vector<std::vector<std::uint64_t>>{{9}, {4, 5}, {3, 1, 4}, {2, 2, 2, 2}}) {
    std::size_t cells = 1;
    for (std::uint64_t width : shape) cells *= width;
    const std::vector<AxisCut> cuts = all_single_cuts(shape);
    for (int round = 0; round < 100; ++round) {
      GroupCounts counts(cells, 0);
      const std::uint64_t scale = std::uint64_t{1} << random() % 61;
      for (auto& count : counts) count = random() % 3 == 0 ? random() % scale : random() % 2;
      const auto homogeneity = single_scores(counts, shape, cuts, Score::homogeneity);
      const auto balance = single_scores(counts, shape, cuts, Score::balance);
      for (std::size_t i = 0; i < cuts.size(); ++i) {
        EXPECT_EQ(homogeneity[i], by_definition(counts, shape, cuts[i].axis, {cuts[i].cut}));
        EXPECT_EQ(balance[i], balance_by_definition(counts, shape, cuts[i].axis, {cuts[i].cut}));
        EXPECT_EQ(balance[i], scores(counts, shape, cuts[i].axis, {{cuts[i].cut}}, Score::balance)[0]);
      }
    }
  }
}

TEST(Score, HomogeneityOfARegionLooksAtItsOwnRowsAndBox) {
  // The right half of a 1 x 8 strip, on its own.
  const GroupCounts counts = {9, 9, 9, 9, 1, 0, 3, 0};
  const Matrix matrix = matrix_of(counts, {8});
  const View view("v", MatrixSource(matrix), {{0}}, false, 1, 0);
  const std::array<Interval, 1> side = {Interval{4, 8}};
  const Groups candidates = {{6}, {5, 7}, {}};
  const auto ours = penalties(view, 4, view.keys.size(), Box(side), 0, candidates, Score::homogeneity);
  EXPECT_EQ(ours, (std::vector<std::uint64_t>{1 + 3, 0 + 3 + 0, 4}));  // 0.5+0.5, 1.5+1.5; 1.5+1.5; |1-1|+1+2+1
}

// All matrices of at most `trips` trips, each cell once more: no cut set moves by more than the sensitivity, and some
// by as much.
void check_sensitivity(const std::vector<std::uint64_t>& shape, std::uint64_t trips, Score score = Score::homogeneity) {
  std::size_t cells = 1;
  for (std::uint64_t width : shape) cells *= width;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Groups candidates = all_cut_sets(shape[axis]);
    std::map<GroupCounts, std::vector<std::uint64_t>> known;
    const auto scores_of = [&](const GroupCounts& counts) -> const std::vector<std::uint64_t>& {
      auto& slot = known[counts];
      if (slot.empty()) slot = scores(counts, shape, axis, candidates, score);
      return slot;
    };
    std::uint64_t most = 0;
    GroupCounts counts(cells, 0);
    const std::function<void(std::size_t, std::uint64_t)> visit = [&](std::size_t from, std::uint64_t left) {
      const auto before = scores_of(counts);
      for (std::size_t cell = 0; cell < cells; ++cell) {
        ++counts[cell];
        const auto& after = scores_of(counts);
        for (std::size_t i = 0; i < candidates.size(); ++i) {
          const std::uint64_t moved = after[i] > before[i] ? after[i] - before[i] : before[i] - after[i];
          most = std::max(most, moved);
        }
        --counts[cell];
      }
      if (left == 0) return;
      for (std::size_t cell = from; cell < cells; ++cell) {
        ++counts[cell];
        visit(cell, left - 1);
        --counts[cell];
      }
    };
    visit(0, trips);
    EXPECT_LE(most, sensitivity(score));
    EXPECT_EQ(most, cells > 2 ? sensitivity(score) : 1u) << "the bound is attained, so the test can see it";
  }
}

TEST(Score, OneTripMovesNoCutSetByMoreThanTwoOverEverythingSmall) {
  check_sensitivity({8}, 4);
  check_sensitivity({2, 4}, 4);
  check_sensitivity({4, 2}, 3);
  check_sensitivity({2, 2, 2}, 4);
  check_sensitivity({3, 2}, 5);
  check_sensitivity({2}, 8);
}

TEST(Score, OneTripMovesNoBalanceByMoreThanOneOverEverythingSmall) {
  check_sensitivity({8}, 4, Score::balance);
  check_sensitivity({2, 4}, 4, Score::balance);
  check_sensitivity({2, 2, 2}, 4, Score::balance);
}

TEST(Score, OneTripMovesNoCutSetByMoreThanTwoOnLargerMatrices) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 3000; ++round) {
    const std::vector<std::uint64_t> shape = {2 + random() % 9, 1 + random() % 6};
    GroupCounts counts(shape[0] * shape[1], 0);
    const std::uint64_t scale = std::uint64_t{1} << random() % 61;
    for (auto& count : counts) count = random() % (1 + random() % (scale + 1));
    const Groups all = all_cut_sets(shape[0]);
    Groups candidates;
    for (int i = 0; i < 4; ++i) candidates.push_back(all[random() % all.size()]);
    const auto before = scores(counts, shape, 0, candidates);
    ++counts[random() % counts.size()];
    const auto after = scores(counts, shape, 0, candidates);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      EXPECT_LE(after[i] > before[i] ? after[i] - before[i] : before[i] - after[i], 2u);
    }
  }
}

TEST(Score, CountsAtTheirLimitDoNotMoveIt) {
  const Groups candidates = {{1}, {2}, {}};
  GroupCounts counts = {kMaxCount, kMaxCount - 1, 5, 0};
  const auto before = scores(counts, {4}, 0, candidates);
  for (std::size_t cell = 0; cell < 4; ++cell) {
    GroupCounts more = counts;
    ++more[cell];
    const auto after = scores(more, {4}, 0, candidates);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      EXPECT_LE(after[i] > before[i] ? after[i] - before[i] : before[i] - after[i], 2u);
    }
  }
  EXPECT_EQ(before[2], by_definition(counts, {4}, 0, {}));
}

// Every single cut of every axis, ascending.
std::vector<AxisCut> all_single_cuts(const Box& box) {
  std::vector<AxisCut> cuts;
  for (std::uint32_t axis = 0; axis < box.axes(); ++axis) {
    for (std::uint32_t cut = box[axis].lo + 1; cut < box[axis].hi; ++cut) cuts.push_back({axis, cut});
  }
  return cuts;
}

TEST(Score, SingleCutsOfManyAxesScoreAsCutSetsOfOne) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 400; ++round) {
    const std::vector<std::uint64_t> shape = {1 + random() % 7, 2 + random() % 6, 1 + random() % 4};
    GroupCounts counts(shape[0] * shape[1] * shape[2], 0);
    const std::uint64_t scale = std::uint64_t{1} << random() % 62;
    const std::uint64_t thin = 1 + random() % 6;
    for (auto& count : counts) count = random() % thin == 0 ? random() % (scale + 1) : 0;
    const Matrix matrix = matrix_of(counts, shape);
    const View view("v", MatrixSource(matrix), {{0, 1, 2}}, false, 1, 0);
    const auto cuts = all_single_cuts(view.whole);
    for (Score score : {Score::homogeneity, Score::balance}) {
      const auto together = penalties(view, 0, view.keys.size(), view.whole, cuts, score);
      ASSERT_EQ(together.size(), cuts.size());
      for (std::size_t i = 0; i < cuts.size(); ++i) {
        const Groups one = {{cuts[i].cut}};
        EXPECT_EQ(together[i], penalties(view, 0, view.keys.size(), view.whole, cuts[i].axis, one, score)[0]);
      }
    }
  }
}

TEST(Score, BalanceIsTheDifferenceOfTheSidesAndMovesByOne) {
  const std::vector<std::uint64_t> shape = {5, 2};
  const auto balance = [&](const GroupCounts& counts) {
    const Matrix matrix = matrix_of(counts, shape);
    const View view("v", MatrixSource(matrix), {{0, 1}}, false, 1, 0);
    auto all = penalties(view, 0, view.keys.size(), view.whole, all_single_cuts(view.whole), Score::balance);
    const Groups sets = {{1, 3}, {2, 3, 4}, {}};
    const auto of_sets = penalties(view, 0, view.keys.size(), view.whole, 0, sets, Score::balance);
    all.insert(all.end(), of_sets.begin(), of_sets.end());
    return all;
  };
  EXPECT_EQ(balance({1, 0, 2, 0, 0, 0, 0, 4, 0, 1}), (std::vector<std::uint64_t>{6, 2, 2, 6, 2, 4, 4, 0}));
  std::mt19937_64 random(4);
  std::uint64_t most = 0;
  for (int round = 0; round < 2000; ++round) {
    GroupCounts counts(10);
    for (auto& count : counts) count = random() % (1 + random() % 5);
    const auto before = balance(counts);
    ++counts[random() % counts.size()];
    const auto after = balance(counts);
    for (std::size_t i = 0; i < before.size(); ++i) {
      most = std::max(most, after[i] > before[i] ? after[i] - before[i] : before[i] - after[i]);
    }
  }
  EXPECT_EQ(most, sensitivity(Score::balance));
}

}  // namespace
}  // namespace stopover
