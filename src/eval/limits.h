// Limits: what no differentially private release can do better, whatever its mechanism.
//
//   double trips = needle_limit(domain, 0.5);     // 54 on 1000^4 cells
//   double error = count_floor(0.5);              // 1.92 trips
//
// Why they are floors, in short (docs/internals/limits.md has the whole argument). Two data sets that differ in T trips
// have probabilities at most exp(epsilon T) apart. A release that shows T trips in a cell half of the time, whichever
// of the M cells it is, therefore shows them in each empty cell with probability exp(-epsilon T)/2 or more; that is one
// such cell on average as soon as M exp(-epsilon T)/2 = 1. `k`: most trips of one unit; T trips are then T/k units.
#pragma once

#include "domain/domain.h"

namespace stopover {

// M: the number of cells.
double cell_count(const Domain& domain);

// ln(M/2) k/epsilon: trips in one cell that can be shown half of the time with no more than one cell, on average, that
// is shown for nothing. 0 for fewer than two cells. REQUIRES: epsilon > 0.
double needle_limit(const Domain& domain, double epsilon, double k = 1);

// k/sinh(epsilon): the mean of |noise| of a single count, with all of epsilon for it, at its least (discrete Laplace
// noise has exactly this). REQUIRES: epsilon > 0.
double count_floor(double epsilon, double k = 1);

// Half of needle_limit: what the worst of all ranges is off by, or more, with probability 1/2 or more.
double ranges_floor(const Domain& domain, double epsilon, double k = 1);

}  // namespace stopover
