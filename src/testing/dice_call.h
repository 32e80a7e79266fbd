// DiceCall: one call of a Dice with its true inputs and its answer, and what the answer's probability is.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "privacy/dice.h"
#include "testing/bounds.h"

namespace stopover {

// One call of a Dice. The true inputs are here because the proof needs their probabilities; nothing is released.
struct DiceCall {
  Purpose purpose{};
  std::vector<u128> parameters;  // rates and exponents, num before den
  std::vector<i128> truth;       // counts, or the penalties of a choice; empty for a coin; sparse: cell, count, ...
  std::vector<i128> output;      // gradual: hidden values, then released ones; sparse: cell, value, ...
  std::vector<bool> revealed;    // gradual: which hidden values became public

  // A call as it comes in, without its output.
  static DiceCall count(Rate rate, std::span<const std::int64_t> truth);
  static DiceCall choose(std::span<const std::uint64_t> penalties, u128 num, u128 den);
  static DiceCall coin();
  static DiceCall grow(Rate rate, std::span<const std::int64_t> truth);
  static DiceCall gradual(Rate fine, Rate coarse, std::span<const std::int64_t> truth);
  static DiceCall sparse(Rate rate, std::uint64_t threshold, std::uint64_t cells, std::span<const NumberedCount> truth);

  // The rate that stands first among the parameters, or the one `at`.
  Rate rate(std::size_t at = 0) const;
  // log P(what became public | truth). Coins depend on no truth and give 0. Sparse: less that of an empty domain.
  Bounds log_probability() const;
  // log P(output | truth) - log P(output | other's truth); parts with the same truth cancel exactly.
  Bounds loss_against(const DiceCall& other) const;
};

struct CallLabel {
  NodePath node{};
  std::uint32_t call = 0;
  std::uint32_t purpose = 0;
  auto operator<=>(const CallLabel&) const = default;

  static CallLabel of(const StreamLabel& label) { return {label.node, label.call, label.purpose}; }
  std::string text() const;
};

using Transcript = std::map<CallLabel, DiceCall>;

// Numbered counts as cell, value, cell, value, ... and back.
std::vector<i128> flat(std::span<const NumberedCount> numbered);
std::map<i128, std::int64_t> by_cell(const std::vector<i128>& flat_pairs);

}  // namespace stopover
