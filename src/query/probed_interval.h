// ProbedInterval: reads a release's probes (release/probes.h) at one level.
//
// The centre is midway between the estimate and the value before projection (centre_of in calibration.h); the scale is
//   s^2 = 1 + 2 noise variance + clump + (variance of the cut leaves' whole counts)/20 + edge:
// what noise, cells that an edge cuts, a lucky placement inside leaves (placement.h) and a cut leaf's own noise may do,
// without anything learned. How many scales the truth may be away, the probes say.
#pragma once

#include <array>

#include "query/answer.h"
#include "query/placement.h"
#include "release/probes.h"

namespace stopover {

double probe_scale(const Answer& answer);
// max(estimate, 0) over the scale.
double probe_signal(const Answer& answer, double scale);

class ProbedInterval {
 public:
  // REQUIRES: check_probes passes; 0 < level < 1.
  ProbedInterval(const Probes& probes, double level);

  // `group`: 1 where a stop of several is left free, else 0. Before guards: Answerer keeps it within the bounds.
  PlacementBounds operator()(const Answer& answer, std::size_t group) const;

 private:
  struct Row {
    double below, above, above_zero;  // logarithms of distances
  };
  std::array<std::array<Row, Probes::kClasses>, Probes::kGroups> rows_{};
  double noise_reach_;
};

}  // namespace stopover
