#include "eval/range_counter.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace stopover {
namespace {

constexpr std::uint32_t kLeafCells = 128;

}  // namespace

RangeCounter::RangeCounter(const Matrix& matrix) {
  const std::size_t d = matrix.domain().d();
  const auto cells = static_cast<std::uint32_t>(matrix.keys().size());
  STOPOVER_CHECK(matrix.keys().size() < (std::size_t{1} << 32), "a range counter holds fewer than 2^32 cells");
  columns_.assign(d, std::vector<std::int32_t>(cells));
  for (std::uint32_t i = 0; i < cells; ++i) {
    for (std::size_t axis = 0; axis < d; ++axis) {
      columns_[axis][i] = static_cast<std::int32_t>(matrix.keys_of_axes().cell(matrix.keys()[i], axis));
    }
  }
  std::vector<std::uint32_t> order(cells);
  std::iota(order.begin(), order.end(), 0);
  if (cells > 0) build(0, cells, order);
  std::vector<std::int32_t> sorted(cells);
  for (auto& column : columns_) {
    for (std::uint32_t i = 0; i < cells; ++i) sorted[i] = column[order[i]];
    column = sorted;
  }
  before_.reserve(std::size_t{cells} + 1);
  before_.assign(1, 0);
  for (std::uint32_t cell : order) before_.push_back(std::min(kMaxCount, before_.back() + matrix.counts()[cell]));
}

// Halves along the axis on which the cells reach farthest, measured in shares of the whole.
void RangeCounter::build(std::uint32_t begin, std::uint32_t end, std::vector<std::uint32_t>& order) {
  const std::size_t d = columns_.size();
  const std::size_t number = nodes_.size();
  nodes_.push_back({begin, end, static_cast<std::uint32_t>(number + 1)});
  std::size_t widest = 0;
  double reach = -1;
  for (std::size_t axis = 0; axis < d; ++axis) {
    const std::vector<std::int32_t>& column = columns_[axis];
    std::int32_t first = column[order[begin]], last = first;
    for (std::uint32_t i = begin; i < end; ++i) {
      first = std::min(first, column[order[i]]);
      last = std::max(last, column[order[i]]);
    }
    bounds_.push_back(first);
    bounds_.push_back(last);
    const double whole = static_cast<double>(bounds_[2 * axis + 1]) - bounds_[2 * axis] + 1;
    const double share = (static_cast<double>(last) - first) / whole;
    if (share > reach) {
      reach = share;
      widest = axis;
    }
  }
  if (end - begin <= kLeafCells) return;
  const std::vector<std::int32_t>& column = columns_[widest];
  const std::uint32_t middle = begin + (end - begin) / 2;
  std::nth_element(order.begin() + begin, order.begin() + middle, order.begin() + end,
                   [&](std::uint32_t a, std::uint32_t b) { return column[a] < column[b]; });
  build(begin, middle, order);
  build(middle, end, order);
  nodes_[number].after = static_cast<std::uint32_t>(nodes_.size());
}

std::uint64_t RangeCounter::scan(const Node& node, const Box& box, const std::vector<std::size_t>& axes) const {
  std::array<std::int32_t, kLeafCells> inside;
  const std::uint32_t n = node.end - node.begin;
  std::fill_n(inside.begin(), n, -1);
  for (std::size_t axis : axes) {
    const std::int32_t* column = columns_[axis].data() + node.begin;
    const auto lo = static_cast<std::int32_t>(box[axis].lo);
    const auto last = static_cast<std::int32_t>(box[axis].hi - 1);
    for (std::uint32_t i = 0; i < n; ++i)
      inside[i] &= -static_cast<std::int32_t>((column[i] >= lo) & (column[i] <= last));
  }
  const std::uint64_t* before = before_.data() + node.begin;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < n; ++i)
    sum += (before[i + 1] - before[i]) & static_cast<std::uint64_t>(std::int64_t{inside[i]});
  return sum;
}

std::uint64_t RangeCounter::count(const Box& box) const {
  const std::size_t d = columns_.size();
  STOPOVER_CHECK(box.axes() == d, "the box has as many axes as the matrix");
  if (nodes_.empty() || box.volume() == 0) return 0;
  std::uint64_t sum = 0;
  std::vector<std::size_t> open;
  open.reserve(d);
  for (std::uint32_t at = 0; at < nodes_.size();) {
    const Node& node = nodes_[at];
    const std::int32_t* bounds = bounds_.data() + std::size_t{at} * 2 * d;
    bool apart = false;
    open.clear();
    for (std::size_t axis = 0; axis < d && !apart; ++axis) {
      const auto first = static_cast<std::uint32_t>(bounds[2 * axis]),
                 last = static_cast<std::uint32_t>(bounds[2 * axis + 1]);
      apart = last < box[axis].lo || first >= box[axis].hi;
      if (first < box[axis].lo || last >= box[axis].hi) open.push_back(axis);
    }
    if (!apart && !open.empty() && node.after != at + 1) {
      ++at;
      continue;
    }
    if (!apart) sum += open.empty() ? before_[node.end] - before_[node.begin] : scan(node, box, open);
    at = node.after;
  }
  return sum;
}

}  // namespace stopover
