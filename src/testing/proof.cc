#include "testing/proof.h"

#include <tbb/global_control.h>

#include <algorithm>
#include <thread>

#include "privacy/stream_dice.h"
#include "testing/adversarial_dice.h"

namespace stopover {
namespace {

// Runs the plan on the neighbour with the recorded outputs and compares.
Proof replay_on(const Plan& plan, const CountSource& neighbour, Ticks epsilon, std::uint32_t k,
                const RecordingDice& recording, LabResult made) {
  Proof proof;
  proof.epsilon = epsilon;
  proof.made = std::move(made);
  proof.faults = recording.faults();
  proof.calls = recording.transcript().size();
  ReplayDice replay(recording.transcript());
  Kernel kernel(neighbour, replay, epsilon, k);
  const LabResult other = plan(kernel);
  const auto faults = replay.faults();
  proof.faults.insert(proof.faults.end(), faults.begin(), faults.end());
  if (!(proof.made == other)) proof.faults.push_back("the releases differ");
  proof.loss = loss_of(recording.transcript(), replay.transcript());
  proof.choices = loss_of(recording.transcript(), replay.transcript(), Purpose::choose);
  return proof;
}

}  // namespace

long double Proof::share() const {
  return std::max(loss.hi, -loss.lo) * kTicksPerEpsilon / static_cast<long double>(epsilon);
}

bool Proof::within() const {
  const long double limit = static_cast<long double>(epsilon) / kTicksPerEpsilon + kResolution;
  return loss.hi <= limit && loss.lo >= -limit;
}

std::string Proof::text() const {
  std::string all = "epsilon " + format_epsilon(epsilon) + ", loss between " + std::to_string(loss.lo) + " and " +
                    std::to_string(loss.hi) + ", " + std::to_string(calls) + " calls";
  for (std::size_t i = 0; i < faults.size() && i < 10; ++i) all += "\n  " + faults[i];
  if (faults.size() > 10) all += "\n  and " + std::to_string(faults.size() - 10) + " more";
  return all;
}

Bounds loss_of(const Transcript& transcript, const Transcript& neighbour, std::optional<Purpose> purpose) {
  Bounds sum = 0;
  for (const auto& [label, call] : transcript) {
    const auto found = neighbour.find(label);
    if (found == neighbour.end() || (purpose && call.purpose != *purpose)) continue;
    const Bounds loss = call.loss_against(found->second);
    if (loss.lo != 0 || loss.hi != 0) sum = sum + loss;
  }
  return sum;
}

Proof prove(const Plan& plan, const CountSource& source, const CountSource& neighbour, Ticks epsilon, std::uint32_t k,
            const ReleaseKey& key) {
  StreamDice stream(key);
  RecordingDice recording(stream);
  Kernel kernel(source, recording, epsilon, k);
  LabResult made = plan(kernel);
  return replay_on(plan, neighbour, epsilon, k, recording, std::move(made));
}

Proof prove(const Plan& plan, const CountSource& source, const CountSource& neighbour, Ticks epsilon, std::uint32_t k,
            const Adversary& adversary) {
  AdversarialDice dice(adversary);
  RecordingDice recording(dice.here());
  LabResult made;
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    std::thread twin([&] {
      Kernel kernel(neighbour, dice.there(), epsilon, k);
      plan(kernel);
      dice.leave_there();
    });
    Kernel kernel(source, recording, epsilon, k);
    made = plan(kernel);
    dice.leave_here();
    twin.join();
  }
  return replay_on(plan, neighbour, epsilon, k, recording, std::move(made));
}

}  // namespace stopover
