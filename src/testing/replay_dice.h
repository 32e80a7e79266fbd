// Dice that record, and dice that replay: the two halves of the likelihood proof (proof.h).
//
//   StreamDice stream(key);
//   RecordingDice recording(stream);          // run on a data set: notes every call, its true inputs and its outputs
//   ...
//   ReplayDice replay(recording.transcript());  // run on a neighbour: the same outputs whatever the truth there
//   ...
//   replay.faults();                          // calls that the neighbour made and the data set did not, or the reverse
//
// A plan whose calls depend on released values alone makes the same calls in both runs. One that peeks does not, and
// shows up as a fault: a label that was never recorded, one never asked for, another number of counts, another rate.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "testing/dice_call.h"
#include "testing/scripted_dice.h"

namespace stopover {

// Passes every call on and notes it. A label met twice is a fault. Thread-safe when the inner dice are.
class RecordingDice final : public Dice {
 public:
  explicit RecordingDice(Dice& inner) : inner_(inner) {}

  const Transcript& transcript() const { return transcript_; }
  const std::vector<std::string>& faults() const { return faults_; }

  void count(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
             std::span<std::int64_t> released) override;
  std::size_t choose(const StreamLabel& label, std::span<const std::uint64_t> penalties, u128 num, u128 den) override;
  void coin(const StreamLabel& label, std::span<std::uint64_t> words) override;
  void grow(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth, std::span<bool> split) override;
  void gradual(const StreamLabel& label, Rate fine, Rate coarse, std::span<const std::int64_t> truth,
               std::span<std::int64_t> hidden, std::span<std::int64_t> released) override;
  std::vector<NumberedCount> sparse(const StreamLabel& label, Rate rate, std::uint64_t threshold, std::uint64_t cells,
                                    std::span<const NumberedCount> truth) override;
  void revealed(const StreamLabel& label, std::size_t first, std::size_t count) override;

 private:
  void note(const StreamLabel& label, DiceCall call);

  Dice& inner_;
  std::mutex mutex_;
  Transcript transcript_;
  std::vector<std::string> faults_;
};

// Answers from a transcript. A call that does not fit is a fault and is answered with zeros. Thread-safe.
class ReplayDice final : public ScriptedDice {
 public:
  // The transcript must outlive the dice.
  explicit ReplayDice(const Transcript& recorded) : recorded_(recorded) {}

  // The calls made here: this run's truth beside the recorded outputs.
  const Transcript& transcript() const { return transcript_; }
  // What went wrong so far, and every recorded label that has not been asked for or not been revealed alike.
  std::vector<std::string> faults() const;

  void revealed(const StreamLabel& label, std::size_t first, std::size_t count) override;

 private:
  // The recorded output of this call; zeros when it does not fit.
  std::vector<i128> answer(const StreamLabel& label, DiceCall call, std::size_t size) override;

  const Transcript& recorded_;
  std::mutex mutex_;
  Transcript transcript_;
  std::vector<std::string> faults_;
};

}  // namespace stopover
