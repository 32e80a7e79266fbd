#include "privacy/permute_and_flip.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "privacy/bernoulli.h"

namespace stopover {

std::size_t permute_and_flip(Stream& stream, std::span<const std::uint64_t> penalties, u128 num, u128 den) {
  STOPOVER_CHECK(!penalties.empty(), "selection from no candidates");
  STOPOVER_CHECK(num <= UINT64_MAX && den > 0, "selection rate out of range");
  const std::uint64_t best = *std::ranges::min_element(penalties);
  std::vector<std::size_t> left(penalties.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  for (;;) {
    const auto at = static_cast<std::size_t>(uniform_below(stream, left.size()));
    const std::size_t candidate = left[at];
    if (bernoulli_exp(stream, (penalties[candidate] - best) * num, den)) return candidate;
    left[at] = left.back();
    left.pop_back();
  }
}

}  // namespace stopover
