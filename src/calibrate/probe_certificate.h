// ProbeCertificate: what the histogram of the probes proves, whatever the data.
//
//   certify_probes(probes, boxes, rate);     // fills missed_above and missed_below
//
// A probed box whose truth lies more than z2 scales above its centre holds every rank of the band (z1, z2]. So the
// ranks of that band over all such boxes are no more than were counted there: given the count, only so many boxes, by
// so much weight, can lie beyond z2. Below the centre ranks that are missing take the place of those that are there.
// The count is noisy; its noise is known, and is below a margin in all sums that are used at once with a probability
// of 1 - Probes::kDoubt. Nothing is said of how trips lie. docs/internals/intervals.md has the proof.
//
// What it is about: the boxes that were probed and that trips drawn from the release hit, each with as much weight as
// drawn trips are in it, by group and class of signal. All of that is public.
#pragma once

#include <cstddef>
#include <span>

#include "release/probes.h"

namespace stopover {

struct CertifiedBox {
  std::size_t cell = 0;  // Probes::cell
  double centre = 0, scale = 1;
  double weight = 1;  // above 0
};

// The ranks of a box that lie at most z scales above its centre (below it, for a negative z).
double ranks_up_to(double centre, double scale, double z);

// The least m that is known to do: a sum of n independent discrete Laplace variables of this rate is above m with a
// probability of at most `chance`. By its moments (Chernoff), for n = 1 exactly. REQUIRES: n >= 1, 0 < chance < 1/2.
double laplace_sum_margin(double rate, std::size_t n, double chance);

// The most weight that boxes can have whose costs sum to no more than `budget`: those with the least cost for their
// weight, the last one in part. REQUIRES: weights above 0, costs not below 0.
struct Burden {
  double weight, cost;
};
double most_weight(std::span<Burden> boxes, double budget);

// `rate`: of the noise on each count, epsilon of the probes by most trips of a user and lattices. Counts and whole are
// read.
void certify_probes(Probes& probes, std::span<const CertifiedBox> boxes, double rate);

}  // namespace stopover
