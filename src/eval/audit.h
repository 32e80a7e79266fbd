// The black-box audit of a mechanism: what `stopover audit` runs.
//
// Over a list of pairs of tiny data sets that differ by one added unit it looks for the event that tells them apart
// best (black_box.h), tests the most promising ones on fresh runs, and compares:
//
//   lower_bound  what the runs prove about the mechanism's epsilon. Above the claim: the mechanism is broken.
//   exact_worst  the largest loss of any observed run, computed from the probabilities by the likelihood code. A lower
//                bound below 0.85 of it means that the audit was blind (too few runs), and that fails too.
//
// Mechanisms that choose cuts are also audited on the choice alone, with all of epsilon, sweeping the gap between the
// candidates' scores: a single gap can hide a wrong selection. Rank histograms (kernel.h: count_ranks), which have no
// mechanism of their own, are audited alone when none is named.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mechanism/mechanism.h"
#include "testing/proof.h"
#include "testing/trips.h"

namespace stopover {

struct AuditSpec {
  const Mechanism* mechanism = nullptr;  // none: rank histograms alone
  Params params;
  Ticks epsilon = 0;
  std::uint32_t k = 1;                  // trips of the added unit
  double confidence = 0.9999;           // that lower_bound holds, all tests together
  std::uint64_t explore_runs = 20'000;  // a pair and side, to find events
  std::uint64_t most_runs = 4'000'000;  // a side and test; fewer are used when fewer are enough
  double slack = 0.08;                  // how much of the loss a test may expect to miss for want of runs
  std::string key = "audit";            // names the randomness: the same key gives the same report
};

struct AuditReport {
  double lower_bound = 0;
  double exact_worst = 0;
  std::uint64_t runs = 0;  // of the mechanism, in all
  std::size_t pairs = 0;
  bool violated = false;  // lower_bound above the claim
  bool blind = false;     // lower_bound below 0.85 of exact_worst
  std::string best_pair;  // the one that gave the bound
  bool pass() const { return !violated && !blind; }
};

// Two data sets, `with` having one unit more, and the plan to run on both.
struct AuditPair {
  std::string name;
  Trips without, with;
  Plan plan;
};

// Pairs through the whole mechanism and, where it chooses, through the choice alone; without one, through ranks.
std::vector<AuditPair> audit_pairs(const AuditSpec& spec);
// Pairs of two stops whose releases lean on one of an earlier period, the same with and without the unit. REQUIRES: a
// mechanism that leans.
std::vector<AuditPair> leaning_pairs(const AuditSpec& spec);

// `progress` is told each phase. REQUIRES: a mechanism that takes 1 to 2 axes, or none.
AuditReport audit_mechanism(const AuditSpec& spec, const std::function<void(const std::string& phase)>& progress = {});
// Of these pairs alone. REQUIRES: at least one.
AuditReport audit_over(const std::vector<AuditPair>& pairs, const AuditSpec& spec,
                       const std::function<void(const std::string& phase)>& progress = {});

}  // namespace stopover
