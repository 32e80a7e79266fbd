#include "testing/replay_dice.h"

namespace stopover {
namespace {

template <typename Values>
std::vector<i128> wide_of(const Values& values) {
  return {values.begin(), values.end()};
}

// False when there is no such call or one of the values was revealed before.
bool mark_revealed(Transcript& transcript, const StreamLabel& label, std::size_t first, std::size_t count) {
  const auto found = transcript.find(CallLabel::of(label));
  if (found == transcript.end() || first + count > found->second.revealed.size()) return false;
  for (std::size_t i = first; i < first + count; ++i) {
    if (found->second.revealed[i]) return false;
    found->second.revealed[i] = true;
  }
  return true;
}

}  // namespace

void RecordingDice::note(const StreamLabel& label, DiceCall call) {
  const std::lock_guard lock(mutex_);
  const CallLabel key = CallLabel::of(label);
  if (label.purpose != static_cast<std::uint32_t>(call.purpose)) faults_.push_back(key.text() + ": labelled otherwise");
  if (!transcript_.emplace(key, std::move(call)).second) faults_.push_back(key.text() + ": a label used twice");
}

void RecordingDice::count(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
                          std::span<std::int64_t> released) {
  inner_.count(label, rate, truth, released);
  DiceCall call = DiceCall::count(rate, truth);
  call.output = wide_of(released);
  note(label, std::move(call));
}

std::size_t RecordingDice::choose(const StreamLabel& label, std::span<const std::uint64_t> penalties, u128 num,
                                  u128 den) {
  const std::size_t index = inner_.choose(label, penalties, num, den);
  DiceCall call = DiceCall::choose(penalties, num, den);
  call.output = {static_cast<i128>(index)};
  note(label, std::move(call));
  return index;
}

void RecordingDice::coin(const StreamLabel& label, std::span<std::uint64_t> words) {
  inner_.coin(label, words);
  DiceCall call = DiceCall::coin();
  call.output = wide_of(words);
  note(label, std::move(call));
}

void RecordingDice::grow(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
                         std::span<bool> split) {
  inner_.grow(label, rate, truth, split);
  DiceCall call = DiceCall::grow(rate, truth);
  call.output = wide_of(split);
  note(label, std::move(call));
}

void RecordingDice::gradual(const StreamLabel& label, Rate fine, Rate coarse, std::span<const std::int64_t> truth,
                            std::span<std::int64_t> hidden, std::span<std::int64_t> released) {
  inner_.gradual(label, fine, coarse, truth, hidden, released);
  DiceCall call = DiceCall::gradual(fine, coarse, truth);
  call.output = wide_of(hidden);
  call.output.insert(call.output.end(), released.begin(), released.end());
  note(label, std::move(call));
}

std::vector<NumberedCount> RecordingDice::sparse(const StreamLabel& label, Rate rate, std::uint64_t threshold,
                                                 std::uint64_t cells, std::span<const NumberedCount> truth) {
  std::vector<NumberedCount> listed = inner_.sparse(label, rate, threshold, cells, truth);
  DiceCall call = DiceCall::sparse(rate, threshold, cells, truth);
  call.output = flat(listed);
  note(label, std::move(call));
  return listed;
}

void RecordingDice::revealed(const StreamLabel& label, std::size_t first, std::size_t count) {
  inner_.revealed(label, first, count);
  const std::lock_guard lock(mutex_);
  if (!mark_revealed(transcript_, label, first, count))
    faults_.push_back(CallLabel::of(label).text() + ": revealed wrongly");
}

std::vector<i128> ReplayDice::answer(const StreamLabel& label, DiceCall call, std::size_t size) {
  const std::lock_guard lock(mutex_);
  const CallLabel key = CallLabel::of(label);
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
  faults_.push_back(key.text() + fault);
  return std::vector<i128>(size, 0);
}

std::vector<std::string> ReplayDice::faults() const {
  std::vector<std::string> all = faults_;
  for (const auto& [label, call] : recorded_) {
    const auto found = transcript_.find(label);
    if (found == transcript_.end()) {
      all.push_back(label.text() + ": recorded, not asked for");
    } else if (found->second.revealed != call.revealed) {
      all.push_back(label.text() + ": other values revealed than recorded");
    }
  }
  return all;
}

void ReplayDice::revealed(const StreamLabel& label, std::size_t first, std::size_t count) {
  const std::lock_guard lock(mutex_);
  if (!mark_revealed(transcript_, label, first, count))
    faults_.push_back(CallLabel::of(label).text() + ": revealed wrongly");
}

}  // namespace stopover
