#include "testing/scripted_dice.h"

namespace stopover {

void ScriptedDice::count(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
                         std::span<std::int64_t> released) {
  const auto output = answer(label, DiceCall::count(rate, truth), released.size());
  for (std::size_t i = 0; i < output.size(); ++i) released[i] = static_cast<std::int64_t>(output[i]);
}

std::size_t ScriptedDice::choose(const StreamLabel& label, std::span<const std::uint64_t> penalties, u128 num,
                                 u128 den) {
  return static_cast<std::size_t>(answer(label, DiceCall::choose(penalties, num, den), 1)[0]);
}

void ScriptedDice::coin(const StreamLabel& label, std::span<std::uint64_t> words) {
  const auto output = answer(label, DiceCall::coin(), words.size());
  for (std::size_t i = 0; i < output.size(); ++i) words[i] = static_cast<std::uint64_t>(output[i]);
}

void ScriptedDice::grow(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
                        std::span<bool> split) {
  const auto output = answer(label, DiceCall::grow(rate, truth), split.size());
  for (std::size_t i = 0; i < output.size(); ++i) split[i] = output[i] != 0;
}

void ScriptedDice::gradual(const StreamLabel& label, Rate fine, Rate coarse, std::span<const std::int64_t> truth,
                           std::span<std::int64_t> hidden, std::span<std::int64_t> released) {
  const auto output = answer(label, DiceCall::gradual(fine, coarse, truth), hidden.size() + released.size());
  for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] = static_cast<std::int64_t>(output[i]);
  for (std::size_t i = 0; i < released.size(); ++i) released[i] = static_cast<std::int64_t>(output[hidden.size() + i]);
}

// How many cells hold trips is nobody's business and may differ; the list is as long as it was.
std::vector<NumberedCount> ScriptedDice::sparse(const StreamLabel& label, Rate rate, std::uint64_t threshold,
                                                std::uint64_t cells, std::span<const NumberedCount> truth) {
  std::vector<NumberedCount> listed;
  const auto output = answer(label, DiceCall::sparse(rate, threshold, cells, truth), 2);
  for (std::size_t i = 0; i < output.size(); i += 2) {
    listed.push_back({static_cast<std::uint64_t>(output[i]), static_cast<std::int64_t>(output[i + 1])});
  }
  return listed;
}

}  // namespace stopover
