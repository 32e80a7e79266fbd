#include "calibrate/trip_columns.h"

#include <algorithm>
#include <array>

namespace stopover {

TripColumns::TripColumns(ImaginedTrips trips) : trips_(std::move(trips)) {
  const std::vector<Interval> empty(trips_.cells.size(), Interval{UINT32_MAX, 0});
  for (std::size_t from = 0; from < size(); from += kBlock) {
    Box box{std::span(empty)};
    for (std::size_t axis = 0; axis < trips_.cells.size(); ++axis) {
      const auto begin = trips_.cells[axis].begin() + static_cast<std::ptrdiff_t>(from);
      const auto [least, most] = std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(std::min(kBlock, size() - from)));
      box[axis] = {*least, *most + 1};
    }
    blocks_.push_back(box);
  }
}

std::uint64_t TripColumns::count(const Box& box) const {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Box& block = blocks_[i];
    bool inside = true, apart = false;
    for (std::size_t axis = 0; axis < block.axes(); ++axis) {
      apart = apart || block[axis].hi <= box[axis].lo || block[axis].lo >= box[axis].hi;
      inside = inside && block[axis].lo >= box[axis].lo && block[axis].hi <= box[axis].hi;
    }
    if (apart) continue;
    const std::size_t from = i * kBlock, to = std::min(from + kBlock, size());
    total += inside ? to - from : scan(box, from, to);
  }
  return total;
}

std::uint64_t TripColumns::scan(const Box& box, std::size_t from, std::size_t to) const {
  std::array<std::uint32_t, kBlock> met;
  const std::size_t n = to - from;
  std::fill(met.begin(), met.end(), 1u);
  for (std::size_t axis = 0; axis < trips_.cells.size(); ++axis) {
    const std::uint32_t lo = box[axis].lo, width = box[axis].width();
    const std::uint32_t* cells = trips_.cells[axis].data() + from;
    for (std::size_t i = 0; i < n; ++i) met[i] &= static_cast<std::uint32_t>(cells[i] - lo < width);
  }
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < n; ++i) total += met[i];
  return total;
}

}  // namespace stopover
