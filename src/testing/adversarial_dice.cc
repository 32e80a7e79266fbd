#include "testing/adversarial_dice.h"

namespace stopover {

AdversarialDice::AdversarialDice(const Adversary& adversary)
    : adversary_(adversary), sides_{Side(*this, 0), Side(*this, 1)} {}

bool AdversarialDice::Question::fits(const Question& other) const {
  return label == other.label && call.purpose == other.call.purpose && call.parameters == other.call.parameters &&
         (call.truth.size() == other.call.truth.size() || call.purpose == Purpose::sparse) && size == other.size;
}

std::vector<i128> AdversarialDice::answer(std::size_t side, Question question) {
  std::unique_lock lock(mutex_);
  const auto known = answered_before_.find(question.label);
  if (known != answered_before_.end() && known->second.first.fits(question)) return known->second.second;
  waiting_[side] = std::move(question);
  if (waiting_[1 - side] || left_[1 - side]) answer_those_waiting();
  answered_.wait(lock, [&] { return !waiting_[side]; });
  return answers_[side];
}

void AdversarialDice::leave(std::size_t side) {
  const std::lock_guard lock(mutex_);
  left_[side] = true;
  if (waiting_[1 - side]) answer_those_waiting();
}

void AdversarialDice::answer_those_waiting() {
  const bool together = waiting_[0] && waiting_[1] && waiting_[0]->fits(*waiting_[1]);
  for (std::size_t side = 0; side < 2; ++side) {
    if (!waiting_[side]) continue;
    const Question& own = *waiting_[side];
    const DiceCall& here = together ? waiting_[0]->call : own.call;
    const DiceCall& there = together ? waiting_[1]->call : own.call;
    answers_[side] = adversary_.answer(own.label, here, there, own.size);
    if (!together) answered_before_.try_emplace(own.label, own, answers_[side]);
  }
  waiting_[0].reset();
  waiting_[1].reset();
  answered_.notify_all();
}

}  // namespace stopover
