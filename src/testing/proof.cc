#include "testing/proof.h"

#include "privacy/stream_dice.h"

namespace stopover {

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

Bounds loss_of(const Transcript& transcript, const Transcript& neighbour) {
  Bounds sum = 0;
  for (const auto& [label, call] : transcript) {
    const auto found = neighbour.find(label);
    if (found == neighbour.end()) continue;
    const Bounds loss = call.loss_against(found->second);
    if (loss.lo != 0 || loss.hi != 0) sum = sum + loss;
  }
  return sum;
}

Proof prove(const Plan& plan, const Matrix& matrix, const Matrix& neighbour, Ticks epsilon, std::uint32_t k,
            const ReleaseKey& key) {
  Proof proof;
  proof.epsilon = epsilon;
  StreamDice stream(key);
  RecordingDice recording(stream);
  {
    Kernel kernel(matrix, recording, epsilon, k);
    proof.release = plan(kernel);
  }
  proof.faults = recording.faults();
  proof.calls = recording.transcript().size();
  ReplayDice replay(recording.transcript());
  Kernel kernel(neighbour, replay, epsilon, k);
  const Release other = plan(kernel);
  const auto faults = replay.faults();
  proof.faults.insert(proof.faults.end(), faults.begin(), faults.end());
  if (!(proof.release == other)) proof.faults.push_back("the releases differ");
  proof.loss = loss_of(recording.transcript(), replay.transcript());
  return proof;
}

}  // namespace stopover
