// How much an attacker learns from releases of a mechanism: what `stopover-lab attack` runs.
//
//   Result<AttackReport> report = attack(matrix, spec);
//   write_file("attack.html", attack_html(*report), Readers::owner);         // attack_page.h
//
// Membership. The attacker knows every trip but one person's, the mechanism, and what it released; not whether the
// person is in the data. No attacker does better than one who weighs the exact likelihoods of the release with and
// without them (Neyman and Pearson), and that is the one here: the losses are those of the likelihood proof
// (testing/proof.h). Each run tosses a coin, publishes with or without the person, and the attacker guesses. The
// promise: they are right with a probability of at most e^epsilon/(1 + e^epsilon), whoever it is.
//
// Linking. Half of the trips are published, half are not. Of a trip the attacker knows the first stop, and is shown two
// ways to go on: the true one and another trip's. They take the one of which the release says more. If they do as well
// for trips that were not published, the release tells what the city does, not what somebody in it did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"
#include "mechanism/mechanism.h"

namespace stopover {

struct AttackSpec {
  const Mechanism* mechanism = nullptr;
  Params params;
  Ticks epsilon = 0;
  Unit unit = Unit::trip;
  std::uint32_t k = 1;
  std::size_t runs = 50;      // per person
  std::size_t links = 2'000;  // trips of either half
  std::string key = "attack";
};

struct Membership {
  std::string who;  // "alone on their way"
  std::size_t runs = 0, right = 0;
  double success = 0;  // how sure they are to be right, on the average of the runs; steadier than right/runs
  double surest = 0;   // in one run
};

struct Linking {
  std::size_t asked = 0;               // trips of either half
  double published = 0, withheld = 0;  // shares that were linked rightly
  double without_noise = 0;            // of the published ones, were true counts told
  double doubt = 0;                    // two standard errors of published - withheld
};

struct AttackReport {
  std::string mechanism;
  Ticks epsilon = 0;
  std::uint32_t k = 1;
  Unit unit = Unit::trip;
  double bound = 0;  // e^epsilon/(1 + e^epsilon)
  std::vector<Membership> people;
  Linking linking;
  // No run told more than the promise allows.
  bool within() const;
};

// `progress` is told each phase; `interrupted` ends it. Fails (usage) for a mechanism that cannot run on the matrix's
// domain and for data of fewer than 20 trips; (interrupted).
Result<AttackReport> attack(const Matrix& matrix, const AttackSpec& spec,
                            const std::function<void(const std::string&)>& progress = {},
                            const std::function<bool()>& interrupted = {});

}  // namespace stopover
