// What multigrid believes: between levels, and at the end. Post-processing only.
#pragma once

#include <vector>

#include "release/release.h"

namespace stopover {

// A divided box, as the next level is decided.
struct LevelFamily {
  double n = 0, variance = 0;    // what was thought to lie in the box
  double noise = 0;              // variance of each part's count
  std::vector<double> counts;    // of the parts, noisy
  std::vector<double> areas;     // of the parts, in cells
  std::vector<double> expected;  // how its trips were thought to divide; any scale
};

struct NextBelief {
  double n = 0;  // not negative; a little below the mean, so that noise does not call for cuts
  double variance = 0;
  double kappa = 0;  // how uneven the part is thought to be inside
};

// One belief a part, for all divided boxes of a completed level. `level_kappa`: in, the level above's (negative for
// none); out, this level's.
std::vector<std::vector<NextBelief>> believe(const std::vector<LevelFamily>& families, double& level_kappa);

// Sets table.estimate: least squares up, a threshold of significance that each depth sets by its own share of small
// negative values, non-negative projection down; boxes below the threshold and all in them become zero, and the rest is
// projected once more without them.
void finish_multigrid(Table& table, double ticks_to_rate);
// The same from values and variances of the rows that are not the table's own.
void finish_multigrid(Table& table, std::vector<double> z, std::vector<double> w);

}  // namespace stopover
