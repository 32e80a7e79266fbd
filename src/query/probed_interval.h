// ProbedInterval: reads a release's probes (release/probes.h) at one level.
//
// The centre c is a quarter of the way from the value before projection to the estimate; the scale is
//   s^2 = 1 + 2 noise variance + clump + (variance of the cut leaves' whole counts)/20 + 2 gap^2 + 2 edge:
// what noise, a lucky placement inside leaves (placement.h), a cut leaf's own noise, the projection (gap: by how much
// it moved the answer) and cells that an edge cuts may do, without anything learned. How many scales the truth may be
// away, the probes say.
#pragma once

#include <array>

#include "query/answer.h"
#include "query/placement.h"
#include "release/probes.h"

namespace stopover {

double probe_centre(const Answer& answer);
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
