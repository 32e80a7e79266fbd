// The exact likelihood proof: run a plan on a data set, replay its outputs on a neighbour, compare.
//
//   const auto plan = [&](Kernel& kernel) { return run_in_lab(mechanism, params, kernel, Unit::trip); };
//   const Proof proof = prove(plan, matrix, neighbour, epsilon, k, test_key("1"));
//   EXPECT_TRUE(proof.holds()) << proof.text();
//
// What it demands of one pair and one run (no statistics are involved):
//   1. the same calls with the same parameters on both: no control flow depends on the data;
//   2. the same release, field by field: nothing is published that did not come through the kernel;
//   3. |log P(outputs | matrix) - log P(outputs | neighbour)| <= epsilon, by formulas (likelihood.h) that share no code
//      with the samplers, in interval arithmetic.
// Sums of charges would miss a wrong exponent or sensitivity; 3. does not.
//
// A loss of exactly epsilon is allowed and common (a count above both truths), so the comparison is up to kResolution,
// which the intervals are far narrower than.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "matrix/count_source.h"
#include "matrix/matrix.h"
#include "peers/lab_result.h"
#include "privacy/entropy.h"
#include "privacy/kernel.h"
#include "testing/adversary.h"
#include "testing/replay_dice.h"

namespace stopover {

inline constexpr long double kResolution = 1e-12L;

// Runs on a fresh kernel and returns what would be published.
using Plan = std::function<LabResult(Kernel&)>;

struct Proof {
  Ticks epsilon = 0;
  Bounds loss;                      // log P(outputs | matrix) - log P(outputs | neighbour)
  Bounds choices;                   // what of it choices told
  std::vector<std::string> faults;  // of calls and of the release
  std::size_t calls = 0;
  LabResult made;

  // The loss as a share of epsilon, whatever its sign.
  long double share() const;
  bool holds() const { return faults.empty() && within(); }
  bool within() const;
  // What failed, for a test's message.
  std::string text() const;
};

// REQUIRES: sources of one domain.
Proof prove(const Plan& plan, const CountSource& source, const CountSource& neighbour, Ticks epsilon, std::uint32_t k,
            const ReleaseKey& key);

// The same with outputs that an adversary chooses, knowing both data sets (adversary.h), instead of drawn ones. The
// plan runs on both at once, each in one thread, to choose them; then they are frozen and replayed as above.
Proof prove(const Plan& plan, const CountSource& source, const CountSource& neighbour, Ticks epsilon, std::uint32_t k,
            const Adversary& adversary);

// The same of matrices in memory.
template <typename Outputs>
Proof prove(const Plan& plan, const Matrix& matrix, const Matrix& neighbour, Ticks epsilon, std::uint32_t k,
            const Outputs& outputs) {
  return prove(plan, MatrixSource(matrix), MatrixSource(neighbour), epsilon, k, outputs);
}

// The loss alone, of two transcripts with the same calls; of calls of one purpose, if one is given.
Bounds loss_of(const Transcript& transcript, const Transcript& neighbour, std::optional<Purpose> purpose = {});

}  // namespace stopover
