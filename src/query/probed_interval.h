// ProbedInterval: reads a release's probes (release/probes.h) at one level.
//
// The centre c is a quarter of the way from the value before projection to the estimate; the scale is
//   s^2 = 1 + 2 noise variance + 2 clump + (variance of the cut leaves' whole counts)/20 + gap^2 + 2 edge:
// what noise, a lucky placement inside leaves (placement.h), a cut leaf's own noise, the projection (gap: by how much
// it moved the answer) and cells that an edge cuts may do, without anything learned. How many scales the truth may be
// away, the probes say, times a margin for questions that are not drawn as they are. It depends on how many stops are
// asked for and on the signal: many stops' boxes are rather taken for too empty, one stop of three for too full. With
// few trips for the probes' epsilon, boxes at all of three stops are taken for still emptier. Those that take a large
// part of a map may hold less than the release says: probes lie where trips are, and such boxes anywhere. Flows that
// were found in partitions that a box at all stops cuts add to its upper end (found_flows.h).
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
  // `stops` of the release; `strength`: its trips times the probes' epsilon. REQUIRES: check_probes passes; the probes
  // are readable(); 0 < level < 1.
  ProbedInterval(const Probes& probes, double level, std::size_t stops, double strength);

  // `free_stops`: of several, how many are not asked for. `most_share`: of its stop's map, the most that any of the
  // others is asked for. Before guards: Answerer keeps it within the bounds.
  PlacementBounds operator()(const Answer& answer, std::size_t free_stops, double most_share = 0) const;

 private:
  struct Row {
    double below, above, above_zero;  // logarithms of distances
  };
  static constexpr std::size_t kFree = 3;  // none, one, more
  std::array<std::array<Row, Probes::kClasses>, kFree> rows_{};
  std::size_t stops_;
  double noise_reach_;
};

}  // namespace stopover
