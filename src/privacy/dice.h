// Dice: the place where true values meet randomness. SECRET side of the kernel; no mechanism can reach it.
//
// The kernel computes true values, charges for them and hands them to a Dice, which answers with what may be released.
// Production uses StreamDice (stream_dice.h). The likelihood proof in src/testing uses dice that record and replay,
// which is why this is an interface: the same kernel code runs in both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/wide.h"
#include "privacy/kernel.h"
#include "privacy/rate.h"
#include "privacy/stream.h"

namespace stopover {

// What a stream is for; the last part of every label.
enum class Purpose : std::uint32_t { count = 1, choose = 2, coin = 3, grow = 4, gradual = 5, sparse = 6 };

class Dice {
 public:
  virtual ~Dice() = default;

  // released[i] = truth[i] + independent discrete Laplace noise of `rate`.
  virtual void count(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
                     std::span<std::int64_t> released) = 0;

  // One index, by permute-and-flip: a candidate met in random order is taken with probability
  // exp(-(penalty - least penalty)*num/den).
  virtual std::size_t choose(const StreamLabel& label, std::span<const std::uint64_t> penalties, u128 num,
                             u128 den) = 0;

  // Uniform words that depend on no data.
  virtual void coin(const StreamLabel& label, std::span<std::uint64_t> words) = 0;

  // split[i]: truth[i] + fresh discrete Laplace noise of `rate` is above 0. One descent's decisions (kernel.h: grow).
  virtual void grow(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
                    std::span<bool> split) = 0;

  // A pair for each truth: hidden = truth + noise of rate `fine`; released = hidden + W, exactly truth + noise of
  // `coarse`.
  virtual void gradual(const StreamLabel& label, Rate fine, Rate coarse, std::span<const std::int64_t> truth,
                       std::span<std::int64_t> hidden, std::span<std::int64_t> released) = 0;
  // Every one of `cells` cells has truth + noise of `rate`, truth being 0 where none is given; listed are cell 0 and
  // those whose value is at least `threshold` or at most minus that, ascending by cell. `truth` ascends too.
  virtual std::vector<NumberedCount> sparse(const StreamLabel& label, Rate rate, std::uint64_t threshold,
                                            std::uint64_t cells, std::span<const NumberedCount> truth) = 0;
  // Hidden values [first, first + count) of a gradual call are now released too. Nothing is drawn.
  virtual void revealed(const StreamLabel&, std::size_t /*first*/, std::size_t /*count*/) {}
};

}  // namespace stopover
