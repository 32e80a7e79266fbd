// Black-box audit of a claim of epsilon: no formula of the mechanism, only what its runs show.
//
// Two data sets that differ by one unit are run many times. If some event E is seen with probability p on one and q on
// the other, the mechanism is not epsilon-DP for any epsilon below log(p/q). The event is chosen on some runs and
// tested on others (split sample), and p and q are replaced by Clopper-Pearson bounds; so the bound is wrong with
// probability at most alpha, whatever the mechanism and however the event was found.
//
//   const AuditEvent event = find_event(box, 50'000);
//   const double epsilon_is_at_least = test_event(box, event, 50'000, 400'000, 1e-4).lower_bound;
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_set>

namespace stopover {

// What a run showed, reduced to numbers in two grains (equal outcomes, equal numbers). An event is a set of one grain.
inline constexpr std::size_t kGrains = 2;
using Shown = std::array<std::uint64_t, kGrains>;

// Run number `run` on data set `side` (0 or 1). Called from several threads; runs are independent of each other.
using BlackBox = std::function<Shown(int side, std::uint64_t run)>;

// An event that is more likely on `side` than on the other.
struct AuditEvent {
  int side = 0;
  std::size_t grain = 0;
  std::unordered_set<std::uint64_t> outcomes;
  // Seen on `side` and on the other, on other runs than those that ordered its outcomes.
  double p = 0, q = 0;
  // A bound computed on the same runs as p and q: good for ranking events, worth nothing as evidence.
  double promise = 0;
};

// The most promising event over runs 0 .. runs - 1 of each side: outcomes are added in order of their ratio on the
// first half as long as the bound on the second grows.
AuditEvent find_event(const BlackBox& box, std::uint64_t runs);

struct TestedEvent {
  double lower_bound = 0;  // of epsilon, at least 0
  std::uint64_t hits = 0, hits_other = 0, runs = 0;
};

// Runs first .. first + runs - 1 of each side. With probability at least 1 - alpha the bound holds.
TestedEvent test_event(const BlackBox& box, const AuditEvent& event, std::uint64_t first, std::uint64_t runs,
                       double alpha);

// How many runs per side test_event needs so that its bound is expected to stay within `slack` of log(p/q).
std::uint64_t runs_needed(const AuditEvent& event, double slack, double alpha);

}  // namespace stopover
