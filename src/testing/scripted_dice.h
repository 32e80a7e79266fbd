// ScriptedDice: dice that draw nothing. What they answer is a list of whole numbers from somewhere else: from a record
// (replay_dice.h) or from an adversary (adversarial_dice.h).
#pragma once

#include <vector>

#include "testing/dice_call.h"

namespace stopover {

class ScriptedDice : public Dice {
 public:
  void count(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
             std::span<std::int64_t> released) final;
  std::size_t choose(const StreamLabel& label, std::span<const std::uint64_t> penalties, u128 num, u128 den) final;
  void coin(const StreamLabel& label, std::span<std::uint64_t> words) final;
  void grow(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth, std::span<bool> split) final;
  void gradual(const StreamLabel& label, Rate fine, Rate coarse, std::span<const std::int64_t> truth,
               std::span<std::int64_t> hidden, std::span<std::int64_t> released) final;
  std::vector<NumberedCount> sparse(const StreamLabel& label, Rate rate, std::uint64_t threshold, std::uint64_t cells,
                                    std::span<const NumberedCount> truth) final;

 private:
  // The call's output as DiceCall has it, `size` numbers; of a sparse call any number of pairs.
  virtual std::vector<i128> answer(const StreamLabel& label, DiceCall call, std::size_t size) = 0;
};

}  // namespace stopover
