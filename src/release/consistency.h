// Post-processing of a table: the best values all measurements together allow. Costs no privacy, uses only what is
// public.
//
// A table measures overlapping things (a box, its parts, the parts again), each with its own noise. Three answers to
// "how many trips are in row r":
//   plain          the count of the row itself: what the paper answers from, for leaves. Needs nothing from here.
//   least squares  the linear unbiased estimate of least variance from all counts of the forest (`least_squares`).
//                  Children sum to their parents; values may be negative. What noise intervals are about.
//   consistent     the same, made non-negative from the roots down (`make_consistent`); children still sum to their
//                  parents. Stored as Table.estimate.
//
// Never clamp leaves one by one: half of the noise is thrown away, and sums over many leaves grow by far more than the
// truth.
//
// All of it is O(rows) (projection: O(rows log of the largest family) times axes), iterative, and gives the same bits
// everywhere.
#pragma once

#include <vector>

#include "release/release.h"

namespace stopover {

// Variance of discrete Laplace noise, P(x) ~ exp(-rate|x|): 2 e^-rate/(1 - e^-rate)^2. Infinite at rate 0, and never
// below 1e-200, so that it can be divided by.
double noise_variance(double rate);

struct RowEstimate {
  double value = 0;     // least squares; may be negative
  double variance = 0;  // of value; infinite when no measurement determines the row (value is then a guess by volume)
  // Variance of the row's estimate from its own and its descendants' counts alone; infinite when they do not determine
  // it. With it the variance of any weighted sum of leaves can be had. Going up, f = alpha*x + noise of variance sigma2
  // for the part f of the sum that lies in a row's subtree and the row's value x:
  //   leaf of weight a: alpha = a, sigma2 = 0.
  //   inner row, over its children c, with w = subtree_variance and W = sum of w over all of them:
  //     alpha = sum(alpha_c w_c)/W,   sigma2 = sum(sigma2_c) + sum(alpha_c^2 w_c) - sum(alpha_c w_c)^2/W.
  // A root then adds alpha^2 * variance + sigma2. A subtree of constant weight a is just alpha = a, sigma2 = 0.
  double subtree_variance = 0;
};

// Generalized least squares over the forest. `ticks_to_rate` is 1/(1e9 k). Rows with ticks = 0 say nothing; where
// measurements leave a split open, the rest of the parent goes to the unmeasured leaves by volume.
std::vector<RowEstimate> least_squares(const Table& table, double ticks_to_rate);

// Sets table.estimate. A root gets max(0, least squares), each family then the values nearest to its own subtrees'
// estimates (squares weighted by 1/variance) among those that are not negative and sum to the parent's.
//
// A family of more than 4 is halved in space again and again, along the axis that most of its rows lie on, and each
// half gets its share in the same way before its rows do. At once, the rows of a large empty region would each keep the
// positive part of their noise, thousands of them together far more than the noise of their sum; halving lets the sum
// of the region say that there is next to nothing (docs/internals/research.md: up to 30 times less error on large
// boxes).
//
// In a flat table (equal counts under nothing but the whole: `sparse`, `identity` and other grids) a count that is
// surely no noise stands as it is, and only the others are divided like that, with their own sum as the total: the
// noise of a million empty cells, added up, must not move a cell that is known by itself.
//
// Several roots are treated as one family under an unmeasured parent. REQUIRES: a table as check_release wants it, but
// for the estimates.
void make_consistent(Table& table, double ticks_to_rate);

}  // namespace stopover
