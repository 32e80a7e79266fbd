// LeafSum: how many trips an area holds, by its leaves alone.
//
// Leaves say it in two ways. The sum M of their beliefs is precise, but beliefs lean on expectations (their bases), and
// these err together: where a block's total is thought too small, so are all its pairs. The sum Z of their counts as
// they are errs by noise alone, of a variance n that is known, and by no bias. With V the sum of the beliefs' variances
// and V + G what M really errs by, Cov(M, Z) = V, and the best of both is
//   (M (n - V) + Z G)/(n - V + G).
// G is 3 sum (1 - r) v + 0.1 L^2: r = v/noise the share of a belief that its own count decides, v its variance, L the
// sum of what is left of the beliefs; so what a whole area leans on is taken to be off by a third. The 0.1 was set on
// San Francisco, Los Angeles and New York; docs/internals/zones.md has what it does.
#pragma once

#include "mechanism/zone_model.h"

namespace stopover {

class LeafSum {
 public:
  // A leaf: what is believed of it, and its count with the variance of its noise.
  void add(double mean, double variance, double count, double noise);

  // A share of another sum: of leaves that lie in the area in part. Below 0: taken away again.
  void add_share(const LeafSum& other, double share);

  // The best of M and Z, and its variance. REQUIRES: a leaf was added.
  KnownValue value() const;
  double mean() const { return mean_; }  // M
  // What M errs by: V + G.
  double variance_of_beliefs() const { return variance_ + together(); }
  // The part that a leaf has in it, which must have been added: they sum to it, or to a little less.
  double belief_variance(double mean, double variance, double noise) const;

 private:
  double together() const;  // G

  double mean_ = 0, variance_ = 0, count_ = 0, noise_ = 0;
  double leaned_ = 0;  // L
  double apart_ = 0;   // sum (1 - r) v
};

}  // namespace stopover
