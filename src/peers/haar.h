// HaarGrid: which differences `privlet` counts, and in what order.
//
// Haar's wavelets over a box of cells, in sums (Xiao, Wang, Gehrke 2010, "Differential Privacy via Wavelet
// Transforms"). An axis of n cells has 1 + L levels, 2^L being the first power of two that is not below n. Level 0 sums
// the whole axis; level l >= 1 divides it into blocks of 2^(L-l+1) cells (what reaches beyond the axis is cut off) and
// takes the second half of each block from the first. There is one grid for every combination of the axes' levels, the
// last axis's running fastest, and in it one value for every box of blocks, again with the last axis fastest: the trips
// in it, counted -1 where they are in the second halves of an odd number of axes. So every trip is in one box of each
// of the grids, and moves its value by 1 or -1.
//
// The way back: with values w of one axis, the trips in any part q of a block's cells are the sum over levels of w
// times (|q in the first half| - |q in the second|)/(cells of the block), and w|q|/2^L at level 0. Several axes:
// products of these.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "domain/domain.h"

namespace stopover {

class HaarGrid {
 public:
  // How many grids there are, and how many boxes they have together.
  static u128 grids(const Domain& domain);
  static u128 all_boxes(const Domain& domain);
  // 1 + L.
  static std::uint32_t levels(std::uint32_t cells);
  // The cells of a block before anything is cut off; of level 0: 2^L.
  static std::uint64_t block(std::uint32_t cells, std::uint32_t level);

  // REQUIRES: number < grids(domain).
  HaarGrid(const Domain& domain, std::uint64_t number);

  std::uint32_t level(std::size_t axis) const { return level_[axis]; }
  std::size_t boxes() const;
  // REQUIRES: i < boxes().
  Box box(std::size_t i) const;
  // Per axis the edges of half blocks inside it; none at level 0.
  std::vector<std::vector<std::uint32_t>> halves() const;
  // How a trip in that cell counts: 1 or -1. REQUIRES: one index an axis.
  int sign(std::span<const std::uint32_t> cell) const;

 private:
  Box whole_;
  std::array<std::uint32_t, kMaxAxes> level_{};
  std::array<std::uint64_t, kMaxAxes> block_{};
};

}  // namespace stopover
