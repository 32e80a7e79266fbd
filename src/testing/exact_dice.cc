#include "testing/exact_dice.h"

#include <algorithm>

#include "testing/test_key.h"

namespace stopover {

ExactDice::ExactDice() : coins_(test_key("exact dice")) {}

void ExactDice::count(const StreamLabel&, Rate, std::span<const std::int64_t> truth, std::span<std::int64_t> released) {
  std::copy(truth.begin(), truth.end(), released.begin());
}

std::size_t ExactDice::choose(const StreamLabel&, std::span<const std::uint64_t> penalties, u128, u128) {
  return static_cast<std::size_t>(std::min_element(penalties.begin(), penalties.end()) - penalties.begin());
}

void ExactDice::coin(const StreamLabel& label, std::span<std::uint64_t> words) { coins_.coin(label, words); }

void ExactDice::grow(const StreamLabel&, Rate, std::span<const std::int64_t> truth, std::span<bool> split) {
  std::transform(truth.begin(), truth.end(), split.begin(), [](std::int64_t value) { return value > 0; });
}

void ExactDice::gradual(const StreamLabel&, Rate, Rate, std::span<const std::int64_t> truth,
                        std::span<std::int64_t> hidden, std::span<std::int64_t> released) {
  std::copy(truth.begin(), truth.end(), hidden.begin());
  std::copy(truth.begin(), truth.end(), released.begin());
}

std::vector<NumberedCount> ExactDice::sparse(const StreamLabel&, Rate, std::uint64_t threshold, std::uint64_t,
                                             std::span<const NumberedCount> truth) {
  std::vector<NumberedCount> listed;
  if (truth.empty() || truth[0].cell != 0) listed.push_back({0, 0});
  for (const NumberedCount& known : truth) {
    if (known.cell == 0 || known.count >= static_cast<std::int64_t>(threshold)) listed.push_back(known);
  }
  return listed;
}

}  // namespace stopover
