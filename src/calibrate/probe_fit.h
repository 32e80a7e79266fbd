// probe_fit: from noisy rank histograms to how far truths lie from what a release says.
//
// Per group and class of signal, distances above the centre (in scales) follow a law of mean tau whose shape is one of
// five, from half-normal to heavy tails; a share `a` of the boxes lies on that side. A band's expected count follows;
// it is compared with the noisy count, whose noise is known. tau walks slowly from class to class, and groups depart
// little from each other, so that a class with few trips leans on its neighbours, and where nothing was seen a prior
// speaks. What comes out are distances that are passed with a given probability, weighted as questions meet boxes:
// above by trips, below by boxes. docs/internals/intervals.md has the formulas, where the constants come from, and how
// often intervals hold.
#pragma once

#include "release/probes.h"

namespace stopover {

// Fills tails, below and above. `noise`: the scale of each entry's noise, k lattices/(epsilon of the probes). What
// questions need that are not drawn as the probes are comes on top where they are read (query/probed_interval.h).
void fit_probes(Probes& probes, double noise);

}  // namespace stopover
