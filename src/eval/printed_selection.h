// The selection of DAF-Homogeneity as the paper prints it, which is not ours (docs/internals/paper_notes.md): Laplace
// noise on p objective values, the least is released. A black box for the audit and the attack; no mechanism.
#pragma once

#include <cstddef>
#include <cstdint>

#include "eval/black_box.h"

namespace stopover {

// A small counter-based generator for black boxes that are no mechanisms of ours.
class BoxNoise {
 public:
  BoxNoise(int side, std::uint64_t run) : state_(run * 2 + static_cast<std::uint64_t>(side)) {}
  double uniform();  // (0, 1)
  double laplace(double scale);

 private:
  std::uint64_t state_, calls_ = 0;
};

// Algorithm as printed: noise of scale 2/(p epsilon), for a claim of epsilon.
double printed_scale(double epsilon, std::size_t p);

// Two data sets that differ by one trip: the first of p candidates moves by 200/101 against the others. `middle` says
// how far the first is from the others.
BlackBox printed_selection(double scale, std::size_t p, double middle);

// How often somebody is right who saw a run of either data set, with equal chances, and guesses which it was: outcomes
// are learned on the first half of the runs, guesses counted on the second.
double guess_rate(const BlackBox& box, std::uint64_t runs);

}  // namespace stopover
