// Figures from any table of results, for `stopover-lab chart` and docs/internals/results.md.
//
// Data sets named with a digit at the end of their first word (sf4, "la2 (private)") are grouped by it, the number of
// axes: a point is the geometric mean over the group's data sets, a band reaches from the least to the greatest of them
// (with more than three curves, of the first one and of daf-entropy alone: more would hide each other).
//   error-Nd    floored relative error of random boxes over epsilon
//   size-Nd     the same over the side of boxes placed on data, at the middle epsilon
//   noise-Nd    share of that error that noise makes: 1 less the error of the same partition with true counts
//   needle-Nd, blob-Nd  trips of a needle that is found half of the time (eval/needle.h) over epsilon, with the limit;
//               what is not found at 64 limits lies on a line of its own
//   busy-Nd     relative error of busy pairs over epsilon, with what it would be if each were the only count
// Data sets named NAME-nNUMBER make growth figures over their numbers of trips:
//   time-NAME, memory-NAME   of publishing
#pragma once

#include <span>
#include <string>
#include <vector>

#include "eval/report.h"
#include "eval/result_table.h"

namespace stopover {

// `mechanisms`: which, in this order; empty: all.
std::vector<NamedPlot> result_plots(std::span<const ResultRow> rows, const std::vector<std::string>& mechanisms);

}  // namespace stopover
