// CertifiedInterval: what the probes prove of boxes like the one that is asked for, whatever the data.
//
//   std::optional<CertifiedInterval> sure = certified_interval(*index.probes(), answer, shape, stops, 0.95);
//
// Of the probed boxes of the same group and class of signal (release/probes.h), each with the weight of the trips that
// the release expects in it, at least `share` hold their truth in such an interval. That is certain to `sure` over the
// noise: no belief about how trips lie is in it, no prior, no measured margin. It says nothing of a single box, and
// nothing of boxes that are not like those that were probed. Mostly it is wider than the likely interval.
#pragma once

#include <cstddef>
#include <optional>

#include "query/answer.h"
#include "query/coverage_claim.h"
#include "release/probes.h"

namespace stopover {

struct CertifiedInterval {
  double lower = 0, upper = 0;
  double share = 0;  // of boxes like this, at least; the level where that can be had, else the most that can
  double sure = 0;
};

// None where nothing is certified: probes of an older program, circles and areas whose edges cut cells, boxes smaller
// than any that was probed, all stops left open, or counts too noisy to prove that half of them hold. REQUIRES: an
// answer of consistent estimates with intervals; 0 < level < 1.
std::optional<CertifiedInterval> certified_interval(const Probes& probes, const Answer& answer,
                                                    const QuestionShape& shape, std::size_t stops, double level);

}  // namespace stopover
