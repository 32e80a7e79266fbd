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

// Cells added one by one, by how many trips they have: a Fenwick tree over the counts that occur.
class CountLadder {
 public:
  explicit CountLadder(std::span<const std::uint64_t> counts) : steps_(counts.begin(), counts.end()) {
    std::ranges::sort(steps_);
    steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
    sums_.resize(steps_.size() + 1);
  }
  void add(std::uint64_t count) {
    for (std::size_t i = rank(count); i < sums_.size(); i += i & -i) sums_[i].n += count, ++sums_[i].cells;
  }
  // Trips and cells of the cells of at most `mean`.
  IntervalSums up_to(u128 mean) const {
    IntervalSums result;
    for (std::size_t i = rank(mean); i > 0; i -= i & -i) result.n += sums_[i].n, result.cells += sums_[i].cells;
    return result;
  }

 private:
  std::size_t rank(u128 count) const {
    return static_cast<std::size_t>(std::upper_bound(steps_.begin(), steps_.end(), count) - steps_.begin());
  }
  std::vector<std::uint64_t> steps_;
  std::vector<IntervalSums> sums_;
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
  const std::span counts(view.counts.data() + begin, end - begin);
  const CountLadder empty(score == Score::homogeneity ? counts : counts.first(0));
  CountLadder whole = empty;
  IntervalSums all{.cells = counts.size()};
  for (std::uint64_t count : counts) all.n += count;
  for (std::uint64_t count : score == Score::homogeneity ? counts : counts.first(0)) whole.add(count);
  std::vector<std::uint64_t> result;
  for (std::size_t first = 0; first < candidates.size();) {
    const std::size_t axis = candidates[first].axis;
    STOPOVER_CHECK(axis < box.axes() && (first == 0 || axis > candidates[first - 1].axis), "candidates ascend by axis");
    Cuts cuts(axis + 1);
    while (first < candidates.size() && candidates[first].axis == axis) cuts[axis].push_back(candidates[first++].cut);
    const CellSorter sorter(box, cuts, view.layout);
    std::vector<std::vector<std::uint64_t>> slabs(sorter.children());  // the counts of their cells
    for (std::size_t row = begin; row < end; ++row) slabs[sorter.child_of(view.keys[row])].push_back(view.counts[row]);
    const u128 layer = box.volume() / box[axis].width();
    IntervalSums below;
    CountLadder low = empty;
    for (std::size_t i = 0; i < cuts[axis].size(); ++i) {
      for (std::uint64_t count : slabs[i]) below.n += count, ++below.cells;
      IntervalSums above{.n = all.n - below.n, .cells = all.cells - below.cells};
      if (score == Score::balance) {
        const u128 b = std::min<u128>(below.n, kMaxCount), a = std::min<u128>(above.n, kMaxCount);
        result.push_back(static_cast<std::uint64_t>(b > a ? b - a : a - b));
        continue;
      }
      for (std::uint64_t count : slabs[i]) low.add(count);
      const u128 low_volume = layer * (cuts[axis][i] - box[axis].lo), high_volume = box.volume() - low_volume;
      const IntervalSums low_rest = low.up_to(below.n / low_volume), shared = low.up_to(above.n / high_volume);
      const IntervalSums both_rest = whole.up_to(above.n / high_volume);
      below.above = below.n - low_rest.n, below.above_cells = below.cells - low_rest.cells;
      above.above = above.n - (both_rest.n - shared.n);
      above.above_cells = above.cells - (both_rest.cells - shared.cells);
      const u128 sum = homogeneity(below, low_volume) + homogeneity(above, high_volume);
      result.push_back(static_cast<std::uint64_t>(std::min<u128>(sum, UINT64_MAX)));
    }
  }
  return result;
}

}  // namespace stopover
