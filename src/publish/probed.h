// run_probed: a mechanism, and after it probes of what it made (release/probes.h), over one kernel.
//
//   Release release = run_probed(*anchor, params, kernel, Unit::trip, probe_ticks(*anchor, epsilon, kProbeShare));
//
// The probes' share of epsilon is kept back from the plan, which spends all it finds. Then the release is probed with
// it: the kernel counts ranks of true trips against what the release says, which is public by then.
// Where the lattices lie comes from the hash of the release's counts: anyone can make them again.
#pragma once

#include "mechanism/mechanism.h"

namespace stopover {

// Of epsilon, in billionths, where nothing else is asked for.
inline constexpr std::uint64_t kProbeShare = 50'000'000;

// A share such as 0.05 in billionths. Fails (usage) below 0 or above a half.
Result<std::uint64_t> probe_share_of(double share);

// Ticks of epsilon for the probes: 0 where the share is 0 or the mechanism's releases are not probed.
Ticks probe_ticks(const Mechanism& mechanism, Ticks epsilon, std::uint64_t share);

// REQUIRES: as run_mechanism; ticks < epsilon. Ticks of 0: run_mechanism. A release that cannot be probed stays without
// probes, and their ticks are not spent.
Release run_probed(const Mechanism& mechanism, const Params& params, Kernel& kernel, Unit unit, Ticks ticks);

}  // namespace stopover
