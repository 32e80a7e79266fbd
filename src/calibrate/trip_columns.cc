#include "calibrate/trip_columns.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace stopover {

TripColumns::TripColumns(const ImaginedTrips& trips, const Domain& domain) : columns_(domain.d()) {
  std::vector<std::uint32_t> order(trips.size());
  std::iota(order.begin(), order.end(), 0u);
  if (!order.empty()) {
    const std::vector<std::uint32_t>& first = trips.cells[0];
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return first[a] < first[b]; });
  }
  for (std::size_t axis = 0; axis < columns_.size(); ++axis) {
    columns_[axis].reserve(order.size());
    for (const std::uint32_t trip : order) columns_[axis].push_back(trips.cells[axis][trip]);
  }
}

std::uint64_t TripColumns::count(const Box& box) const {
  constexpr std::size_t kBlock = 1024;
  const std::vector<std::uint32_t>& first = columns_[0];
  const auto begin = static_cast<std::size_t>(std::lower_bound(first.begin(), first.end(), box[0].lo) - first.begin());
  const auto end = static_cast<std::size_t>(std::lower_bound(first.begin(), first.end(), box[0].hi) - first.begin());
  std::array<std::uint32_t, kBlock> inside;
  std::uint64_t total = 0;
  for (std::size_t at = begin; at < end; at += kBlock) {
    const std::size_t n = std::min(kBlock, end - at);
    std::fill(inside.begin(), inside.begin() + static_cast<std::ptrdiff_t>(n), 1u);
    for (std::size_t axis = 1; axis < columns_.size(); ++axis) {
      const std::uint32_t lo = box[axis].lo, width = box[axis].width();
      const std::uint32_t* cells = columns_[axis].data() + at;
      for (std::size_t i = 0; i < n; ++i) inside[i] &= static_cast<std::uint32_t>(cells[i] - lo < width);
    }
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += inside[i];
    total += sum;
  }
  return total;
}

}  // namespace stopover
