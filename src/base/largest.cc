#include "base/largest.h"

#include <algorithm>
#include <numeric>

namespace stopover {

std::vector<std::size_t> largest(std::span<const double> values, std::size_t most) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return !(values[i] > 0); });
  const auto more = [&](std::size_t a, std::size_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  };
  most = std::min(most, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(), more);
  order.resize(most);
  return order;
}

}  // namespace stopover
