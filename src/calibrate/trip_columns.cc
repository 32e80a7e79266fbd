#include "calibrate/trip_columns.h"

#include <algorithm>
#include <array>

namespace stopover {

TripColumns::TripColumns(DrawnTrips trips) : trips_(std::move(trips)) {
  if (!trips_.times.empty()) {
    before_ = {0};
    for (const std::uint32_t times : trips_.times) before_.push_back(before_.back() + times);
  }
  const std::vector<Interval> empty(trips_.cells.size(), Interval{UINT32_MAX, 0});
  // Blocks of trips as they come: each gets the box around its own.
  for (std::size_t from = 0; from < size(); from += kBlock) {
    Box box{std::span(empty)};
    for (std::size_t axis = 0; axis < trips_.cells.size(); ++axis) {
      const auto begin = trips_.cells[axis].begin() + static_cast<std::ptrdiff_t>(from);
      const auto [least, most] =
          std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(std::min(kBlock, size() - from)));
      box[axis] = {*least, *most + 1};
    }
    // And every kBlocks blocks the box around theirs.
    if (blocks_.size() % kBlocks == 0) {
      groups_.push_back(box);
    } else {
      for (std::size_t axis = 0; axis < box.axes(); ++axis) {
        Interval& side = groups_.back()[axis];
        side = {std::min(side.lo, box[axis].lo), std::max(side.hi, box[axis].hi)};
      }
    }
    blocks_.push_back(box);
  }
}

namespace {

// How a box of trips lies to what is asked. Neither: on the border.
struct Met {
  bool inside = true, apart = false;
};
Met meet(const Box& part, const Box& box) {
  Met met;
  for (std::size_t axis = 0; axis < part.axes(); ++axis) {
    // Without a branch: most blocks are settled here.
    met.apart |= (part[axis].hi <= box[axis].lo) | (part[axis].lo >= box[axis].hi);
    met.inside &= (part[axis].lo >= box[axis].lo) & (part[axis].hi <= box[axis].hi);
  }
  return met;
}

}  // namespace

std::size_t TripColumns::row_of(std::uint64_t trip) const {
  if (before_.empty()) return trip;
  return static_cast<std::size_t>(std::upper_bound(before_.begin(), before_.end(), trip) - before_.begin()) - 1;
}

std::uint64_t TripColumns::trips(std::size_t from, std::size_t to) const {
  return before_.empty() ? to - from : before_[to] - before_[from];
}

std::uint64_t TripColumns::count(const Box& box) const {
  std::uint64_t total = 0;
  // Groups first, blocks of those on the border, trips of blocks on the border. Whole ones are counted without a look
  // at their trips.
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const Met all = meet(groups_[group], box);
    if (all.apart) continue;
    const std::size_t first = group * kBlocks, last = std::min(first + kBlocks, blocks_.size());
    // Blocks are full but for the last.
    if (all.inside) {
      total += trips(first * kBlock, std::min(last * kBlock, size()));
      continue;
    }
    for (std::size_t i = first; i < last; ++i) {
      const Met met = meet(blocks_[i], box);
      if (met.apart) continue;
      const std::size_t from = i * kBlock, to = std::min(from + kBlock, size());
      total += met.inside ? trips(from, to) : scan(box, blocks_[i], from, to);
    }
  }
  return total;
}

std::uint64_t TripColumns::scan(const Box& box, const Box& block, std::size_t from, std::size_t to) const {
  std::array<std::uint32_t, kBlock> out;
  // out: the top bit marks a trip outside along some axis.
  // Axis by axis: cells of one axis lie side by side.
  const std::size_t n = to - from;
  std::fill(out.begin(), out.end(), 0u);
  for (std::size_t axis = 0; axis < trips_.cells.size(); ++axis) {
    // All trips of the block are inside along this axis.
    if (block[axis].lo >= box[axis].lo && block[axis].hi <= box[axis].hi) continue;
    const std::uint32_t lo = box[axis].lo, last = box[axis].hi - 1;
    const std::uint32_t* cells = trips_.cells[axis].data() + from;
    // Cells are below 2^31, so a difference has its top bit set exactly if it would be negative: one of the two has,
    // for a cell outside [lo, last]. No branch, so that it can be done for several trips at once.
    for (std::size_t i = 0; i < n; ++i) out[i] |= (cells[i] - lo) | (last - cells[i]);
  }
  std::uint64_t total = 0;
  // The top bits are the trips outside.
  if (!trips_.times.empty()) {
    for (std::size_t i = 0; i < n; ++i) total += (out[i] >> 31) == 0 ? trips_.times[from + i] : 0;
    return total;
  }
  for (std::size_t i = 0; i < n; ++i) total += out[i] >> 31;
  return n - total;
}

}  // namespace stopover
