#include "testing/dice_call.h"

#include <cstdio>

#include "base/check.h"
#include "testing/likelihood.h"

namespace stopover {
namespace {

template <typename Values>
std::vector<i128> wide(const Values& values) {
  return {values.begin(), values.end()};
}

// log P of value i of a call that draws its values independently.
Bounds log_of_value(const DiceCall& call, std::size_t i) {
  const auto truth = static_cast<std::int64_t>(call.truth[i]);
  const auto output = static_cast<std::int64_t>(call.output[i]);
  switch (call.purpose) {
    case Purpose::count:
      return log_count(call.rate(), truth, output);
    case Purpose::grow:
      return log_grow(call.rate(), truth, output != 0);
    case Purpose::gradual: {
      const auto released = static_cast<std::int64_t>(call.output[call.truth.size() + i]);
      const Rate fine = call.rate(), coarse = call.rate(2);
      return call.revealed[i] ? log_gradual(fine, coarse, truth, output, released) : log_count(coarse, truth, released);
    }
    default:
      check_failed(__FILE__, __LINE__, "a primitive without a law");
  }
}

Bounds log_of_choice(const DiceCall& call) {
  const std::vector<std::uint64_t> penalties(call.truth.begin(), call.truth.end());
  return log_choice(penalties, call.parameters[0], call.parameters[1], static_cast<std::size_t>(call.output[0]));
}

// log P(list | truth) - log P(list | other truth), cell by cell where the two differ.
Bounds loss_of_list(const DiceCall& call, const std::vector<i128>& other_truth) {
  const auto own = by_cell(call.truth), other = by_cell(other_truth), listed = by_cell(call.output);
  std::map<i128, std::int64_t> all = own;
  all.insert(other.begin(), other.end());
  Bounds sum = 0;
  for (const auto& [cell, ignored] : all) {
    const auto log_of = [&](const std::map<i128, std::int64_t>& truths) {
      const auto found = truths.find(cell);
      const std::int64_t truth = found == truths.end() ? 0 : found->second;
      const auto value = listed.find(cell);
      return value != listed.end() ? log_count(call.rate(), truth, value->second)
                                   : log_unlisted(call.rate(), static_cast<std::uint64_t>(call.parameters[2]), truth);
    };
    const auto a = own.find(cell), b = other.find(cell);
    const bool same = a != own.end() && b != other.end() && a->second == b->second;
    if (!same) sum = sum + (log_of(own) - log_of(other));
  }
  return sum;
}

}  // namespace

std::string CallLabel::text() const {
  char head[9];
  std::snprintf(head, sizeof(head), "%02x%02x%02x%02x", node[0], node[1], node[2], node[3]);
  return "node " + std::string(head) + " call " + std::to_string(call) + " purpose " + std::to_string(purpose);
}

std::map<i128, std::int64_t> by_cell(const std::vector<i128>& flat_pairs) {
  std::map<i128, std::int64_t> out;
  for (std::size_t i = 0; i < flat_pairs.size(); i += 2)
    out[flat_pairs[i]] = static_cast<std::int64_t>(flat_pairs[i + 1]);
  return out;
}

std::vector<i128> flat(std::span<const NumberedCount> numbered) {
  std::vector<i128> out;
  for (const NumberedCount& n : numbered) out.insert(out.end(), {n.cell, n.count});
  return out;
}

DiceCall DiceCall::count(Rate rate, std::span<const std::int64_t> truth) {
  return {Purpose::count, {rate.num, rate.den}, wide(truth), {}, {}};
}

DiceCall DiceCall::choose(std::span<const std::uint64_t> penalties, u128 num, u128 den) {
  return {Purpose::choose, {num, den}, wide(penalties), {}, {}};
}

DiceCall DiceCall::coin() { return {Purpose::coin, {}, {}, {}, {}}; }

DiceCall DiceCall::grow(Rate rate, std::span<const std::int64_t> truth) {
  return {Purpose::grow, {rate.num, rate.den}, wide(truth), {}, {}};
}

DiceCall DiceCall::gradual(Rate fine, Rate coarse, std::span<const std::int64_t> truth) {
  return {
      Purpose::gradual, {fine.num, fine.den, coarse.num, coarse.den}, wide(truth), {}, std::vector<bool>(truth.size())};
}

DiceCall DiceCall::sparse(Rate rate, std::uint64_t threshold, std::uint64_t cells,
                          std::span<const NumberedCount> truth) {
  return {Purpose::sparse, {rate.num, rate.den, threshold, cells}, flat(truth), {}, {}};
}

Rate DiceCall::rate(std::size_t at) const {
  return {static_cast<std::uint64_t>(parameters[at]), static_cast<std::uint64_t>(parameters[at + 1])};
}

Bounds DiceCall::log_probability() const {
  if (purpose == Purpose::coin) return 0;
  if (purpose == Purpose::choose) return log_of_choice(*this);
  if (purpose == Purpose::sparse) return loss_of_list(*this, {});
  Bounds sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) sum = sum + log_of_value(*this, i);
  return sum;
}

Bounds DiceCall::loss_against(const DiceCall& other) const {
  STOPOVER_CHECK(purpose == other.purpose && parameters == other.parameters && output == other.output &&
                     (truth.size() == other.truth.size() || purpose == Purpose::sparse),
                 "calls of different kinds compared");
  if (truth == other.truth) return 0;
  if (purpose == Purpose::choose) return log_of_choice(*this) - log_of_choice(other);
  if (purpose == Purpose::sparse) return loss_of_list(*this, other.truth);
  Bounds sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] != other.truth[i]) sum = sum + (log_of_value(*this, i) - log_of_value(other, i));
  }
  return sum;
}

}  // namespace stopover
