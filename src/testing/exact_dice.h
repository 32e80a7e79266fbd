// ExactDice: dice without noise. What the kernel would say if it told the truth; for tests of the kernel's arithmetic.
//
// Counts are exact, a choice is the first of the best candidates, coins come from a stream under a test key.
#pragma once

#include "privacy/stream_dice.h"

namespace stopover {

class ExactDice : public Dice {
 public:
  ExactDice();

  void count(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
             std::span<std::int64_t> released) override;
  std::size_t choose(const StreamLabel& label, std::span<const std::uint64_t> penalties, u128 num, u128 den) override;
  void coin(const StreamLabel& label, std::span<std::uint64_t> words) override;
  void grow(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth, std::span<bool> split) override;
  void gradual(const StreamLabel& label, Rate fine, Rate coarse, std::span<const std::int64_t> truth,
               std::span<std::int64_t> hidden, std::span<std::int64_t> released) override;
  // What is not empty, and cell 0.
  std::vector<NumberedCount> sparse(const StreamLabel& label, Rate rate, std::uint64_t threshold, std::uint64_t cells,
                                    std::span<const NumberedCount> truth) override;
  void revealed(const StreamLabel&, std::size_t, std::size_t) override {}

 private:
  StreamDice coins_;
};

}  // namespace stopover
