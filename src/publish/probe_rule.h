// ProbeRule: a plan of probes (calibrate/probe_plan.h) as the kernel asks it.
//
// The one rank rule of publications (privacy/AUDIT.md, "Ranks"). It keeps nothing: every call is a function of its
// arguments and of the plan, which was made from the release alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "calibrate/probe_plan.h"
#include "privacy/kernel.h"

namespace stopover {

class ProbeRule final : public RankRule {
 public:
  // REQUIRES: the plan outlives the rule.
  explicit ProbeRule(const ProbePlan& plan) : plan_(plan) {}

  BoxSample sample(std::size_t lattice) const override { return plan_.sample(lattice); }
  std::size_t bands() const override { return Probes::kBands; }
  void bands_of(std::size_t lattice, std::span<const std::uint64_t> boxes, std::span<RankBand> out) const override {
    std::vector<ProbePlan::Band> bands(out.size());
    plan_.bands_of(lattice, boxes, bands);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = {bands[i].last, bands[i].entry};
  }

 private:
  const ProbePlan& plan_;
};

}  // namespace stopover
