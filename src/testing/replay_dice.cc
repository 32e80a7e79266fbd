#include "testing/replay_dice.h"

#include <cstdio>

#include "base/check.h"
#include "testing/likelihood.h"

namespace stopover {
namespace {

CallLabel key_of(const StreamLabel& label) { return {label.node, label.call, label.purpose}; }

std::string text_of(const CallLabel& label) {
  char head[9];
  std::snprintf(head, sizeof(head), "%02x%02x%02x%02x", label.node[0], label.node[1], label.node[2], label.node[3]);
  return "node " + std::string(head) + " call " + std::to_string(label.call) + " purpose " +
         std::to_string(label.purpose);
}

template <typename Values>
std::vector<i128> wide(const Values& values) {
  return {values.begin(), values.end()};
}

DiceCall count_call(Rate rate, std::span<const std::int64_t> truth) {
  return {Purpose::count, {rate.num, rate.den}, wide(truth), {}, {}};
}
DiceCall choose_call(std::span<const std::uint64_t> penalties, u128 num, u128 den) {
  return {Purpose::choose, {num, den}, wide(penalties), {}, {}};
}
DiceCall grow_call(Rate rate, std::span<const std::int64_t> truth) {
  return {Purpose::grow, {rate.num, rate.den}, wide(truth), {}, {}};
}
DiceCall gradual_call(Rate fine, Rate coarse, std::span<const std::int64_t> truth) {
  return {
      Purpose::gradual, {fine.num, fine.den, coarse.num, coarse.den}, wide(truth), {}, std::vector<bool>(truth.size())};
}

std::vector<i128> flat(std::span<const NumberedCount> numbered) {
  std::vector<i128> out;
  for (const NumberedCount& n : numbered) out.insert(out.end(), {n.cell, n.count});
  return out;
}
DiceCall sparse_call(Rate rate, std::uint64_t threshold, std::uint64_t cells, std::span<const NumberedCount> truth) {
  return {Purpose::sparse, {rate.num, rate.den, threshold, cells}, flat(truth), {}, {}};
}

Rate rate_of(const DiceCall& call, std::size_t at = 0) {
  return {static_cast<std::uint64_t>(call.parameters[at]), static_cast<std::uint64_t>(call.parameters[at + 1])};
}

// log P of value i of a call that draws its values independently.
Bounds log_of_value(const DiceCall& call, std::size_t i) {
  const auto truth = static_cast<std::int64_t>(call.truth[i]);
  const auto output = static_cast<std::int64_t>(call.output[i]);
  switch (call.purpose) {
    case Purpose::count:
      return log_count(rate_of(call), truth, output);
    case Purpose::grow:
      return log_grow(rate_of(call), truth, output != 0);
    case Purpose::gradual: {
      const auto released = static_cast<std::int64_t>(call.output[call.truth.size() + i]);
      const Rate fine = rate_of(call), coarse = rate_of(call, 2);
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

std::map<i128, std::int64_t> by_cell(const std::vector<i128>& flat_pairs) {
  std::map<i128, std::int64_t> out;
  for (std::size_t i = 0; i < flat_pairs.size(); i += 2) out[flat_pairs[i]] = static_cast<std::int64_t>(flat_pairs[i + 1]);
  return out;
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
      return value != listed.end() ? log_count(rate_of(call), truth, value->second)
                                   : log_unlisted(rate_of(call), static_cast<std::uint64_t>(call.parameters[2]), truth);
    };
    const auto a = own.find(cell), b = other.find(cell);
    const bool same = a != own.end() && b != other.end() && a->second == b->second;
    if (!same) sum = sum + (log_of(own) - log_of(other));
  }
  return sum;
}

// False when there is no such call or one of the values was revealed before.
bool mark_revealed(Transcript& transcript, const StreamLabel& label, std::size_t first, std::size_t count) {
  const auto found = transcript.find(key_of(label));
  if (found == transcript.end() || first + count > found->second.revealed.size()) return false;
  for (std::size_t i = first; i < first + count; ++i) {
    if (found->second.revealed[i]) return false;
    found->second.revealed[i] = true;
  }
  return true;
}

}  // namespace

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

void RecordingDice::note(const StreamLabel& label, DiceCall call) {
  const std::lock_guard lock(mutex_);
  const CallLabel key = key_of(label);
  if (label.purpose != static_cast<std::uint32_t>(call.purpose))
    faults_.push_back(text_of(key) + ": labelled otherwise");
  if (!transcript_.emplace(key, std::move(call)).second) faults_.push_back(text_of(key) + ": a label used twice");
}

void RecordingDice::count(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
                          std::span<std::int64_t> released) {
  inner_.count(label, rate, truth, released);
  DiceCall call = count_call(rate, truth);
  call.output = wide(released);
  note(label, std::move(call));
}

std::size_t RecordingDice::choose(const StreamLabel& label, std::span<const std::uint64_t> penalties, u128 num,
                                  u128 den) {
  const std::size_t index = inner_.choose(label, penalties, num, den);
  DiceCall call = choose_call(penalties, num, den);
  call.output = {static_cast<i128>(index)};
  note(label, std::move(call));
  return index;
}

void RecordingDice::coin(const StreamLabel& label, std::span<std::uint64_t> words) {
  inner_.coin(label, words);
  note(label, {Purpose::coin, {}, {}, wide(words), {}});
}

void RecordingDice::grow(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
                         std::span<bool> split) {
  inner_.grow(label, rate, truth, split);
  DiceCall call = grow_call(rate, truth);
  call.output = wide(split);
  note(label, std::move(call));
}

void RecordingDice::gradual(const StreamLabel& label, Rate fine, Rate coarse, std::span<const std::int64_t> truth,
                            std::span<std::int64_t> hidden, std::span<std::int64_t> released) {
  inner_.gradual(label, fine, coarse, truth, hidden, released);
  DiceCall call = gradual_call(fine, coarse, truth);
  call.output = wide(hidden);
  call.output.insert(call.output.end(), released.begin(), released.end());
  note(label, std::move(call));
}

std::vector<NumberedCount> RecordingDice::sparse(const StreamLabel& label, Rate rate, std::uint64_t threshold,
                                                 std::uint64_t cells, std::span<const NumberedCount> truth) {
  std::vector<NumberedCount> listed = inner_.sparse(label, rate, threshold, cells, truth);
  DiceCall call = sparse_call(rate, threshold, cells, truth);
  call.output = flat(listed);
  note(label, std::move(call));
  return listed;
}

void RecordingDice::revealed(const StreamLabel& label, std::size_t first, std::size_t count) {
  inner_.revealed(label, first, count);
  const std::lock_guard lock(mutex_);
  if (!mark_revealed(transcript_, label, first, count))
    faults_.push_back(text_of(key_of(label)) + ": revealed wrongly");
}

std::vector<i128> ReplayDice::answer(const StreamLabel& label, DiceCall call, std::size_t size) {
  const std::lock_guard lock(mutex_);
  const CallLabel key = key_of(label);
  const auto found = recorded_.find(key);
  const char* fault = nullptr;
  if (found == recorded_.end()) {
    fault = ": never recorded";
  } else if (found->second.purpose != call.purpose || found->second.parameters != call.parameters) {
    fault = ": other parameters than recorded";
  } else if (call.purpose != Purpose::sparse &&
             (found->second.truth.size() != call.truth.size() || found->second.output.size() != size)) {
    fault = ": another size than recorded";
  } else {
    call.output = found->second.output;
    if (!transcript_.emplace(key, std::move(call)).second) fault = ": asked twice";
  }
  if (!fault) return found->second.output;
  faults_.push_back(text_of(key) + fault);
  return std::vector<i128>(size, 0);
}

std::vector<std::string> ReplayDice::faults() const {
  std::vector<std::string> all = faults_;
  for (const auto& [label, call] : recorded_) {
    const auto found = transcript_.find(label);
    if (found == transcript_.end()) {
      all.push_back(text_of(label) + ": recorded, not asked for");
    } else if (found->second.revealed != call.revealed) {
      all.push_back(text_of(label) + ": other values revealed than recorded");
    }
  }
  return all;
}

void ReplayDice::count(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
                       std::span<std::int64_t> released) {
  const auto output = answer(label, count_call(rate, truth), released.size());
  for (std::size_t i = 0; i < output.size(); ++i) released[i] = static_cast<std::int64_t>(output[i]);
}

std::size_t ReplayDice::choose(const StreamLabel& label, std::span<const std::uint64_t> penalties, u128 num, u128 den) {
  return static_cast<std::size_t>(answer(label, choose_call(penalties, num, den), 1)[0]);
}

void ReplayDice::coin(const StreamLabel& label, std::span<std::uint64_t> words) {
  const auto output = answer(label, {Purpose::coin, {}, {}, {}, {}}, words.size());
  for (std::size_t i = 0; i < output.size(); ++i) words[i] = static_cast<std::uint64_t>(output[i]);
}

void ReplayDice::grow(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth, std::span<bool> split) {
  const auto output = answer(label, grow_call(rate, truth), split.size());
  for (std::size_t i = 0; i < output.size(); ++i) split[i] = output[i] != 0;
}

void ReplayDice::gradual(const StreamLabel& label, Rate fine, Rate coarse, std::span<const std::int64_t> truth,
                         std::span<std::int64_t> hidden, std::span<std::int64_t> released) {
  const auto output = answer(label, gradual_call(fine, coarse, truth), hidden.size() + released.size());
  for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] = static_cast<std::int64_t>(output[i]);
  for (std::size_t i = 0; i < released.size(); ++i) released[i] = static_cast<std::int64_t>(output[hidden.size() + i]);
}

// How many cells hold trips is nobody's business and may differ; the list is as long as it was.
std::vector<NumberedCount> ReplayDice::sparse(const StreamLabel& label, Rate rate, std::uint64_t threshold,
                                              std::uint64_t cells, std::span<const NumberedCount> truth) {
  std::vector<NumberedCount> listed;
  const auto output = answer(label, sparse_call(rate, threshold, cells, truth), 2);
  for (std::size_t i = 0; i < output.size(); i += 2) {
    listed.push_back({static_cast<std::uint64_t>(output[i]), static_cast<std::int64_t>(output[i + 1])});
  }
  return listed;
}

void ReplayDice::revealed(const StreamLabel& label, std::size_t first, std::size_t count) {
  const std::lock_guard lock(mutex_);
  if (!mark_revealed(transcript_, label, first, count))
    faults_.push_back(text_of(key_of(label)) + ": revealed wrongly");
}

}  // namespace stopover
