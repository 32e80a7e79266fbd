// StreamDice: the dice of production. Every label has its own stream under the release key; all laws are exact.
#pragma once

#include <map>
#include <memory>
#include <shared_mutex>

#include "privacy/dice.h"
#include "privacy/discrete_laplace.h"
#include "privacy/entropy.h"

namespace stopover {

// Thread-safe. A rate's table is made at the first large batch (kTableBatch) at that rate and kept; small batches use
// the reference sampler. Which of the two serves depends on the batch's size alone, so the released values do not
// depend on threads or on what was drawn before.
class StreamDice final : public Dice {
 public:
  static constexpr std::size_t kTableBatch = 512;

  explicit StreamDice(const ReleaseKey& key) : key_(key) {}

  void count(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
             std::span<std::int64_t> released) override;
  std::size_t choose(const StreamLabel& label, std::span<const std::uint64_t> penalties, u128 num, u128 den) override;
  void coin(const StreamLabel& label, std::span<std::uint64_t> words) override;
  void grow(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth, std::span<bool> split) override;
  void gradual(const StreamLabel& label, Rate fine, Rate coarse, std::span<const std::int64_t> truth,
               std::span<std::int64_t> hidden, std::span<std::int64_t> released) override;
  std::vector<NumberedCount> sparse(const StreamLabel& label, Rate rate, std::uint64_t threshold, std::uint64_t cells,
                                    std::span<const NumberedCount> truth) override;

 private:
  void noise(Stream& stream, Rate rate, std::span<std::int64_t> out);
  const LaplaceTable& table(Rate rate);

  ReleaseKey key_;
  std::shared_mutex mutex_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::unique_ptr<LaplaceTable>> tables_;
};

}  // namespace stopover
