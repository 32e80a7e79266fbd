// Box: half-open cell intervals, one per axis. The shape of every region, partition and box query.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "base/wide.h"

namespace stopover {

// The most axes a domain may have. DEFAULT of everything: six stops of two axes.
inline constexpr std::size_t kMaxAxes = 12;

// Cells lo, lo + 1, ..., hi - 1.
struct Interval {
  std::uint32_t lo = 0;
  std::uint32_t hi = 0;

  std::uint32_t width() const { return hi > lo ? hi - lo : 0; }
  bool operator==(const Interval&) const = default;
};

// The cells in both; empty (lo == hi) when they do not meet.
inline Interval intersect(Interval a, Interval b) {
  const std::uint32_t lo = a.lo > b.lo ? a.lo : b.lo;
  const std::uint32_t hi = a.hi < b.hi ? a.hi : b.hi;
  return {lo, hi > lo ? hi : lo};
}

// A value type without heap memory, so that millions of them are cheap.
class Box {
 public:
  Box() = default;
  // REQUIRES: at most kMaxAxes intervals.
  explicit Box(std::span<const Interval> sides) : d_(static_cast<std::uint8_t>(sides.size())) {
    STOPOVER_CHECK(sides.size() <= kMaxAxes, "a box has at most 12 axes");
    for (std::size_t i = 0; i < sides.size(); ++i) sides_[i] = sides[i];
  }

  std::size_t axes() const { return d_; }
  Interval& operator[](std::size_t axis) { return sides_[axis]; }
  const Interval& operator[](std::size_t axis) const { return sides_[axis]; }

  // Number of cells; 0 when any side is empty. kMostVolume stands for that many or more.
  static constexpr u128 kMostVolume = ~u128{0};
  u128 volume() const {
    u128 v = 1;
    bool more = false;
    for (std::size_t i = 0; i < d_; ++i) {
      const std::uint32_t width = sides_[i].width();
      if (width == 0) return 0;
      // Below 2^96 no product with a side overflows.
      more = more || (v >> 96 != 0 && v > kMostVolume / width);
      v *= width;
    }
    return more ? kMostVolume : v;
  }
  bool contains(const Box& other) const {
    for (std::size_t i = 0; i < d_; ++i) {
      if (other[i].lo < sides_[i].lo || other[i].hi > sides_[i].hi) return false;
    }
    return true;
  }
  bool operator==(const Box& other) const {
    for (std::size_t i = 0; i < kMaxAxes; ++i) {
      if (sides_[i] != other.sides_[i]) return false;
    }
    return d_ == other.d_;
  }

 private:
  std::array<Interval, kMaxAxes> sides_{};
  std::uint8_t d_ = 0;
};

// REQUIRES: the same number of axes.
inline Box intersect(const Box& a, const Box& b) {
  Box result = a;
  for (std::size_t i = 0; i < a.axes(); ++i) result[i] = intersect(a[i], b[i]);
  return result;
}

}  // namespace stopover
