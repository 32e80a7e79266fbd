// AdversarialDice: the dice of two runs of one plan, on a data set and on its neighbour, answered by one adversary.
//
//   AdversarialDice dice(adversary);
//   std::thread twin([&] { Kernel kernel(neighbour, dice.there(), epsilon, k); plan(kernel); dice.leave_there(); });
//   { Kernel kernel(matrix, dice.here(), epsilon, k); plan(kernel); dice.leave_here(); }
//   twin.join();
//
// The runs go in step: a call is answered when the neighbour has made it too, so that the adversary knows both truths.
// A plan whose calls depend on released values alone makes the same ones in both. If the two wait with different calls,
// each is answered for itself, and the proof that follows (proof.h) says what is wrong.
//
// Each run makes its calls from one thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "testing/adversary.h"
#include "testing/scripted_dice.h"

namespace stopover {

class AdversarialDice {
 public:
  // The adversary must outlive the dice.
  explicit AdversarialDice(const Adversary& adversary);

  Dice& here() { return sides_[0]; }
  Dice& there() { return sides_[1]; }
  // This run makes no more calls: the other need not wait for it.
  void leave_here() { leave(0); }
  void leave_there() { leave(1); }

 private:
  class Side final : public ScriptedDice {
   public:
    Side(AdversarialDice& both, std::size_t number) : both_(both), number_(number) {}

   private:
    std::vector<i128> answer(const StreamLabel& label, DiceCall call, std::size_t size) override {
      return both_.answer(number_, {CallLabel::of(label), std::move(call), size});
    }
    AdversarialDice& both_;
    std::size_t number_;
  };
  struct Question {
    CallLabel label;
    DiceCall call;
    std::size_t size;
    bool fits(const Question& other) const;
  };

  std::vector<i128> answer(std::size_t side, Question question);
  void leave(std::size_t side);
  // Answers whoever waits. REQUIRES: the mutex is held.
  void answer_those_waiting();

  const Adversary& adversary_;
  Side sides_[2];
  std::mutex mutex_;  // guards what follows
  std::condition_variable answered_;
  std::optional<Question> waiting_[2];
  bool left_[2] = {false, false};
  std::vector<i128> answers_[2];  // the last ones
  // Those that one run got while the other waited with another call.
  std::map<CallLabel, std::pair<Question, std::vector<i128>>> answered_before_;
};

}  // namespace stopover
