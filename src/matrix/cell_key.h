// CellKeys: a cell's indices packed into one integer, axis 0 in the highest bits, so that keys sort as cells do.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/wide.h"
#include "domain/box.h"

namespace stopover {

class CellKeys {
 public:
  // REQUIRES: at most kMaxAxes widths, each at least 1, of at most 126 bits together (Domain::make checks).
  explicit CellKeys(std::span<const std::uint32_t> widths) : d_(widths.size()) {
    STOPOVER_CHECK(d_ <= kMaxAxes, "a key has at most 12 axes");
    int used = 0;
    for (std::size_t i = d_; i-- > 0;) {
      const int bits = std::bit_width(widths[i] - 1);
      shift_[i] = used;
      mask_[i] = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
      used += bits;
    }
    STOPOVER_CHECK(used <= 126, "a cell key has at most 126 bits");
  }

  std::size_t axes() const { return d_; }

  u128 pack(std::span<const std::uint32_t> cell) const {
    u128 key = 0;
    for (std::size_t i = 0; i < d_; ++i) key |= static_cast<u128>(cell[i]) << shift_[i];
    return key;
  }
  std::uint32_t cell(u128 key, std::size_t axis) const {
    return static_cast<std::uint32_t>(key >> shift_[axis]) & mask_[axis];
  }

 private:
  std::size_t d_;
  std::array<int, kMaxAxes> shift_{};
  std::array<std::uint32_t, kMaxAxes> mask_{};
};

}  // namespace stopover
