#include "synthetic/discrete_law.h"

#include <bit>

#include "base/check.h"

namespace stopover {

DiscreteLaw::DiscreteLaw(std::span<const double> weights) {
  constexpr std::uint64_t kAll = std::uint64_t{1} << 53;
  double total = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    STOPOVER_CHECK(weights[i] >= 0, "a weight is negative");
    total += weights[i];
    if (weights[i] > 0) last = i;
  }
  STOPOVER_CHECK(total > 0 && total - total == 0, "weights must have a positive finite sum");
  bound_.reserve(weights.size());
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i];
    bound_.push_back(i >= last ? kAll : static_cast<std::uint64_t>(sum / total * 0x1p53));
  }
  const auto bits = static_cast<int>(std::bit_width(weights.size()));
  shift_ = 53 - bits;
  guide_.resize(std::size_t{1} << bits);
  std::uint32_t i = 0;
  for (std::size_t slice = 0; slice < guide_.size(); ++slice) {
    while (bound_[i] <= (static_cast<std::uint64_t>(slice) << shift_)) ++i;
    guide_[slice] = i;
  }
}

}  // namespace stopover
