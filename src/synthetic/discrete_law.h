// DiscreteLaw: draws 0 .. n - 1 with given weights, in constant time on average (a cumulative table with a guide).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "synthetic/number_sequence.h"

namespace stopover {

class DiscreteLaw {
 public:
  // REQUIRES: at least one weight, none negative, the sum positive and finite. Probabilities are multiples of 2^-53.
  explicit DiscreteLaw(std::span<const double> weights);

  std::size_t size() const { return bound_.size(); }
  std::uint32_t draw(NumberSequence& numbers) const {
    const std::uint64_t u = numbers.next() >> 11;
    std::uint32_t i = guide_[u >> shift_];
    while (u >= bound_[i]) ++i;
    return i;
  }

 private:
  std::vector<std::uint64_t> bound_;  // i is drawn for u in [bound_[i-1], bound_[i])
  std::vector<std::uint32_t> guide_;  // the first i whose range reaches into this slice of u
  int shift_ = 0;
};

}  // namespace stopover
