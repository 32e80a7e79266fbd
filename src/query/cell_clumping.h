// Cell clumping: how trips lie inside cells, from how they lie among them.
//
// Of a cell that an edge cuts a release does not know where inside it trips are: at one dock, or along a street. The
// halvings above are known: of squares of 2 x 2 cells that were counted one by one, p is the chance that two trips of a
// square are in one cell of it, a quarter where they spread and 1 where they are all at one place. What is left above a
// quarter is taken to go on inside cells as it is among them:
//     clumping = mean of (p - 1/4)/(3/4) over squares, weighed by their trips; 1: all at one place, 0: spread.
// Noise is taken out of p, and squares are chosen by their sum, which says nothing of the noise between their cells:
// those whose sum is ten deviations of its noise and more. kBelief squares that are all at one place come besides, so
// that without evidence trips are believed to be there.
//
// Public: it follows from the release. Of releases of one map of two axes; 1 for all others.
#pragma once

#include "release/release.h"

namespace stopover {

// From 0 to 1. REQUIRES: check_walkable passes.
double cell_clumping(const Release& release);

}  // namespace stopover
