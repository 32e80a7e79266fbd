#include "privacy/stream_dice.h"

#include <mutex>
#include <vector>

#include "privacy/gradual_laplace.h"
#include "privacy/permute_and_flip.h"
#include "privacy/sparse_noise.h"

namespace stopover {

const LaplaceTable& StreamDice::table(Rate rate) {
  const std::pair key(rate.num, rate.den);
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = tables_.find(key); found != tables_.end()) return *found->second;
  }
  const std::unique_lock lock(mutex_);
  auto& slot = tables_[key];
  if (!slot) slot = std::make_unique<LaplaceTable>(rate);
  return *slot;
}

void StreamDice::noise(Stream& stream, Rate rate, std::span<std::int64_t> out) {
  if (out.size() >= kTableBatch) return table(rate).fill(stream, out);
  for (std::int64_t& value : out) value = discrete_laplace_reference(stream, rate);
}

void StreamDice::count(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
                       std::span<std::int64_t> released) {
  Stream stream(key_, label);
  noise(stream, rate, released);
  for (std::size_t i = 0; i < truth.size(); ++i) released[i] += truth[i];
}

std::size_t StreamDice::choose(const StreamLabel& label, std::span<const std::uint64_t> penalties, u128 num, u128 den) {
  Stream stream(key_, label);
  return permute_and_flip(stream, penalties, num, den);
}

void StreamDice::coin(const StreamLabel& label, std::span<std::uint64_t> words) {
  Stream stream(key_, label);
  for (std::uint64_t& word : words) word = stream.next64();
}

void StreamDice::grow(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth, std::span<bool> split) {
  Stream stream(key_, label);
  for (std::size_t i = 0; i < truth.size(); ++i) split[i] = truth[i] + discrete_laplace_reference(stream, rate) > 0;
}

void StreamDice::gradual(const StreamLabel& label, Rate fine, Rate coarse, std::span<const std::int64_t> truth,
                         std::span<std::int64_t> hidden, std::span<std::int64_t> released) {
  Stream stream(key_, label);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const GradualDraw draw = gradual_laplace(stream, fine, coarse);
    hidden[i] = truth[i] + draw.hidden_noise;
    released[i] = truth[i] + draw.released_noise;
  }
}

std::vector<NumberedCount> StreamDice::sparse(const StreamLabel& label, Rate rate, std::uint64_t threshold,
                                              std::uint64_t cells, std::span<const NumberedCount> truth) {
  Stream stream(key_, label);
  return sparse_noise(stream, rate, threshold, cells, truth);
}

}  // namespace stopover
