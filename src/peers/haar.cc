#include "peers/haar.h"

#include <algorithm>
#include <bit>

namespace stopover {
namespace {

std::uint64_t blocks(std::uint32_t cells, std::uint64_t block) { return (cells + block - 1) / block; }

}  // namespace

std::uint32_t HaarGrid::levels(std::uint32_t cells) {
  return 1 + static_cast<std::uint32_t>(std::bit_width(cells - 1));
}

std::uint64_t HaarGrid::block(std::uint32_t cells, std::uint32_t level) {
  return std::uint64_t{1} << (levels(cells) - std::max(level, 1u));
}

u128 HaarGrid::grids(const Domain& domain) {
  u128 product = 1;
  for (const Axis& axis : domain.axes()) product *= levels(axis.cells);
  return product;
}

u128 HaarGrid::all_boxes(const Domain& domain) {
  u128 product = 1;
  for (const Axis& axis : domain.axes()) {
    std::uint64_t sum = 0;
    for (std::uint32_t level = 0; level < levels(axis.cells); ++level) {
      sum += level == 0 ? 1 : blocks(axis.cells, block(axis.cells, level));
    }
    product = product > (u128{1} << 80) ? product : product * sum;
  }
  return product;
}

HaarGrid::HaarGrid(const Domain& domain, std::uint64_t number) : whole_(domain.whole()) {
  for (std::size_t axis = domain.d(); axis-- > 0;) {
    const std::uint32_t cells = domain.axis(axis).cells;
    level_[axis] = static_cast<std::uint32_t>(number % levels(cells));
    number /= levels(cells);
    block_[axis] = block(cells, level_[axis]);
  }
}

std::size_t HaarGrid::boxes() const {
  std::uint64_t product = 1;
  for (std::size_t axis = 0; axis < whole_.axes(); ++axis) product *= blocks(whole_[axis].width(), block_[axis]);
  return static_cast<std::size_t>(product);
}

Box HaarGrid::box(std::size_t i) const {
  Box result = whole_;
  for (std::size_t axis = whole_.axes(); axis-- > 0;) {
    const std::uint64_t n = blocks(whole_[axis].width(), block_[axis]);
    const std::uint64_t lo = i % n * block_[axis];
    i = static_cast<std::size_t>(i / n);
    result[axis] = {static_cast<std::uint32_t>(lo),
                    static_cast<std::uint32_t>(std::min<std::uint64_t>(lo + block_[axis], whole_[axis].width()))};
  }
  return result;
}

std::vector<std::vector<std::uint32_t>> HaarGrid::halves() const {
  std::vector<std::vector<std::uint32_t>> edges(whole_.axes());
  for (std::size_t axis = 0; axis < whole_.axes(); ++axis) {
    if (level_[axis] == 0) continue;
    const std::uint64_t half = block_[axis] / 2;
    for (std::uint64_t at = half; at < whole_[axis].width(); at += half)
      edges[axis].push_back(static_cast<std::uint32_t>(at));
  }
  return edges;
}

int HaarGrid::sign(std::span<const std::uint32_t> cell) const {
  std::uint64_t seconds = 0;
  for (std::size_t axis = 0; axis < whole_.axes(); ++axis) {
    if (level_[axis] > 0) seconds += cell[axis] / (block_[axis] / 2) % 2;
  }
  return seconds % 2 == 0 ? 1 : -1;
}

}  // namespace stopover
