#include "publish/probed.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "calibrate/probe_fit.h"
#include "calibrate/probe_plan.h"
#include "privacy/kernel.h"
#include "publish/probe_rule.h"
#include "release_io/content_hash.h"

namespace stopover {
namespace {

void probe(Kernel& kernel, Ticks ticks, Release& release) {
  const Result<ProbePlan> plan = ProbePlan::make(release, seed_of(release.tables[0]));
  if (!plan) return;
  std::vector<std::size_t> axes(kernel.domain().d());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  Region all = std::move(kernel.open(kernel.view("probes", axes, ticks))[0]);
  const std::vector<Cuts> lattices(plan->lattices().begin(), plan->lattices().end());
  std::vector<std::int64_t> counts = kernel.count_ranks(all, lattices, ProbeRule(*plan), Probes::kEntries, ticks);
  const double noise = static_cast<double>(lattices.size()) / release.rate(ticks);
  Probes probes = plan->probes(std::move(counts), ticks, 1 / noise);
  fit_probes(probes, noise);
  release.probes = std::move(probes);
}

}  // namespace

Result<std::uint64_t> probe_share_of(double share) {
  if (!(share >= 0 && share <= 0.5)) {
    return Error{Failure::usage, fmt::format("`probe_share` must be from 0 to 0.5, not {}\n  0 spends nothing on "
                                             "probes: then three stops and more have wider intervals, or wrong ones.",
                                             share)};
  }
  return static_cast<std::uint64_t>(std::llround(share * 1e9));
}

Ticks probe_ticks(const Mechanism& mechanism, Ticks epsilon, std::uint64_t share) {
  if (!mechanism.probed) return 0;
  return static_cast<Ticks>(static_cast<u128>(epsilon) * share / kTicksPerEpsilon);
}

Release run_probed(const Mechanism& mechanism, const Params& params, Kernel& kernel, Unit unit, Ticks ticks) {
  if (ticks == 0) return run_mechanism(mechanism, params, kernel, unit);
  return run_plan(mechanism, params, kernel, unit, [&](Release& release) {
    kernel.keep_back(ticks);
    mechanism.plan(kernel, params, release);
    kernel.take_back();
    probe(kernel, ticks, release);
  });
}

}  // namespace stopover
