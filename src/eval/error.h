// How wrong answers are: the error measures of one batch of queries.
//
// SECRET wherever the truth is real: an error tells about the truth it was measured against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "eval/range_counter.h"
#include "matrix/matrix.h"
#include "release/release.h"

namespace stopover {

// One query: what is true, what was said.
struct Outcome {
  double truth = 0;
  double estimate = 0;
  double lower = 0, upper = 0;  // of the interval
};

struct ErrorSummary {
  std::size_t queries = 0;
  // In per cent, over the queries with truth above 0.
  double mre = 0;                 // mean of |p - q|/p: the paper's measure; a few queries of tiny truth decide it
  double mre_error = 0;           // its standard error over the queries
  double median_re = 0;           // median of the same
  double re_p10 = 0, re_p90 = 0;  // a tenth of the queries is below, above
  // In per cent, over all queries: mean of |p - q|/max(p, 0.001 N), as the literature on spatial histograms has it.
  double bounded_re = 0;
  double mean_absolute = 0;  // mean of |p - q|, in trips
  double max_absolute = 0;   // the greatest |p - q|, in trips
  double over_p99 = 0;       // one in a hundred answers exceeds the truth by more, in trips
  double mean_inverse = 0;   // mean of 1/p over the queries with truth above 0: times an error in trips, a relative one
  // Of the intervals.
  double coverage = 0;    // share that holds the truth
  double mean_width = 0;  // in trips
  double interval_score =
      0;  // mean of width + 2/(1 - level) * (distance of the truth from the interval); less is better
};

inline constexpr double kSanityShare = 0.001;

// `trips`: N. `level`: of the intervals, below 1. All zero for no queries.
ErrorSummary summarise(std::span<const Outcome> outcomes, std::uint64_t trips, double level);

// The value with `share` of the values below it, between neighbours by proportion: 0 the least, 0.5 the median, 1 the
// greatest. REQUIRES: at least one value, sorted.
double quantile(std::span<const double> sorted, double share);

// In bits: -sum p/N log2 p/N over the counts; 0 for none.
double entropy(std::span<const std::uint64_t> counts);

// H(F) of the paper: over the cells.
inline double cell_entropy(const Matrix& matrix) { return entropy(matrix.counts()); }
// H(F|P): over the true counts of the leaves of the release's table 0. H(F) - H(F|P) is what the partition forgets.
// REQUIRES: the table covers all axes and is a partition.
double partition_entropy(const Release& release, const RangeCounter& truth);

}  // namespace stopover
