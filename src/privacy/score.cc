#include "privacy/score.h"

#include <algorithm>

namespace stopover {
namespace {

// One interval of a candidate: n trips in c non-empty cells; `above`/`above_cells`: those in cells above the mean.
struct IntervalSums {
  u128 n = 0, above = 0;
  std::uint64_t cells = 0, above_cells = 0;
};

// floor(sum over the V cells of |f - n/V|) = 2*above - ceil(2*above_cells*n/V), as the deviations above and below the
// mean are equal. Empty cells are never above the mean, so no dense array is needed.
u128 homogeneity(const IntervalSums& sums, u128 volume) {
  const u128 product = 2 * sums.n * sums.above_cells;
  return 2 * sums.above - (product / volume + (product % volume != 0));
}

std::uint64_t homogeneity_penalty(const View& view, std::size_t begin, std::size_t end, const Box& box,
                                  std::size_t axis, const std::vector<std::uint32_t>& candidate) {
  Cuts cuts(axis + 1);
  cuts[axis] = candidate;
  const CellSorter sorter(box, cuts, view.layout);
  std::vector<IntervalSums> intervals(sorter.children());
  for (std::size_t row = begin; row < end; ++row) {
    IntervalSums& sums = intervals[sorter.child_of(view.keys[row])];
    sums.n += view.counts[row];
    ++sums.cells;
  }
  const u128 slab = box.volume() / box[axis].width();
  const auto volume = [&](std::size_t i) {
    const std::uint32_t lo = i == 0 ? box[axis].lo : candidate[i - 1];
    const std::uint32_t hi = i == candidate.size() ? box[axis].hi : candidate[i];
    return slab * (hi - lo);
  };
  std::vector<u128> mean_floor(intervals.size());
  bool dense = false;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    mean_floor[i] = intervals[i].n / volume(i);  // f is above the mean exactly when it is above this
    if (mean_floor[i] == 0) {
      intervals[i].above = intervals[i].n;
      intervals[i].above_cells = intervals[i].cells;
    } else {
      dense = true;
    }
  }
  for (std::size_t row = begin; dense && row < end; ++row) {
    const std::size_t i = sorter.child_of(view.keys[row]);
    if (mean_floor[i] == 0 || view.counts[row] <= mean_floor[i]) continue;
    intervals[i].above += view.counts[row];
    ++intervals[i].above_cells;
  }
  u128 sum = 0;
  for (std::size_t i = 0; i < intervals.size(); ++i) sum += homogeneity(intervals[i], volume(i));
  return static_cast<std::uint64_t>(std::min<u128>(sum, UINT64_MAX));
}

std::uint64_t balance_penalty(const View& view, std::size_t begin, std::size_t end, const Box& box, std::size_t axis,
                              const std::vector<std::uint32_t>& candidate) {
  Cuts cuts(axis + 1);
  cuts[axis] = candidate;
  const auto totals = view.totals(begin, end, CellSorter(box, cuts, view.layout));
  const auto [least, most] = std::ranges::minmax_element(totals);
  return static_cast<std::uint64_t>(*most - *least);
}

// Of cutting one box in two: what lies below the cut, and what above.
struct Side {
  IntervalSums sums;
  u128 volume;
  // Every non-empty cell is above the mean, so no second look at the rows is needed.
  bool sparse() const { return sums.n < volume; }
  u128 homogeneity() const {
    return stopover::homogeneity({.n = sums.n, .above = sums.n, .cells = sums.cells, .above_cells = sums.cells},
                                 volume);
  }
};

}  // namespace

std::uint64_t sensitivity(Score score) {
  switch (score) {
    case Score::homogeneity:
      return 2;
    case Score::balance:
      return 1;
  }
  check_failed(__FILE__, __LINE__, "a score without a sensitivity");
}

std::vector<std::uint64_t> penalties(const View& view, std::size_t begin, std::size_t end, const Box& box,
                                     std::size_t axis, std::span<const std::vector<std::uint32_t>> candidates,
                                     Score score) {
  const auto penalty = score == Score::balance ? balance_penalty : homogeneity_penalty;
  std::vector<std::uint64_t> result;
  for (const auto& candidate : candidates) result.push_back(penalty(view, begin, end, box, axis, candidate));
  return result;
}

std::vector<std::uint64_t> penalties(const View& view, std::size_t begin, std::size_t end, const Box& box,
                                     std::span<const AxisCut> candidates, Score score) {
  std::vector<std::uint64_t> result;
  for (std::size_t first = 0; first < candidates.size();) {
    const std::size_t axis = candidates[first].axis;
    STOPOVER_CHECK(axis < box.axes() && (first == 0 || axis > candidates[first - 1].axis), "candidates ascend by axis");
    Cuts cuts(axis + 1);
    for (; first < candidates.size() && candidates[first].axis == axis; ++first)
      cuts[axis].push_back(candidates[first].cut);
    const CellSorter sorter(box, cuts, view.layout);
    std::vector<IntervalSums> slabs(sorter.children());
    for (std::size_t row = begin; row < end; ++row) {
      IntervalSums& slab = slabs[sorter.child_of(view.keys[row])];
      slab.n += view.counts[row];
      ++slab.cells;
    }
    const u128 layer = box.volume() / box[axis].width();
    Side below{{}, 0}, above{{}, 0};
    for (const IntervalSums& slab : slabs) above.sums.n += slab.n, above.sums.cells += slab.cells;
    for (std::size_t i = 0; i < cuts[axis].size(); ++i) {
      below.sums.n += slabs[i].n, below.sums.cells += slabs[i].cells;
      above.sums.n -= slabs[i].n, above.sums.cells -= slabs[i].cells;
      below.volume = layer * (cuts[axis][i] - box[axis].lo);
      above.volume = layer * (box[axis].hi - cuts[axis][i]);
      const u128 b = std::min<u128>(below.sums.n, kMaxCount), a = std::min<u128>(above.sums.n, kMaxCount);
      if (score == Score::balance) {
        result.push_back(static_cast<std::uint64_t>(b > a ? b - a : a - b));
      } else if (below.sparse() && above.sparse()) {
        result.push_back(
            static_cast<std::uint64_t>(std::min<u128>(below.homogeneity() + above.homogeneity(), UINT64_MAX)));
      } else {
        result.push_back(homogeneity_penalty(view, begin, end, box, axis, {cuts[axis][i]}));
      }
    }
  }
  return result;
}

}  // namespace stopover
