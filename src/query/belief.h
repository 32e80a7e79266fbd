// Belief: how far answers may be off, from what the mechanism itself tells of its leaves (Table.spread).
//
// `zones` publishes for every leaf the standard deviation s of its true count given all noisy counts, and for every
// zone how unsure its total is. From these the likely interval of any answer follows, without anything learned.
//
// An answer is a sum over leaves, each taken with a share f. Its variance has three parts:
//   - Every leaf by itself: s^2 + 3 (1 - r) max(0, s^2 - n), where r = s^2/noise is the share of its estimate n that
//     its own count decides. Where that is little, the posterior trusts an expectation that is itself uncertain; but n
//     of its variance is chance (trips are whole), and no expectation can err in that.
//   - Where leaves are cut (f < 1), where their trips lie: (1 - f) (fn + (fn/2)^2): trips that choose one by one, and a
//     share that is off by half of itself.
//   - What leaves have in common. The part (1 - r) n of an estimate leans on totals of zones; these err together. So
//     does what is taken of a cut leaf, all of it the smaller f is: f (1 - f r) n. With L the sum of those parts and t
//     the relative variance of the total of the zones asked of one axis: 3.5 L^2 t, added over axes. t is taken as if
//     the region's leaves leaned on its zones in proportion to their totals.
// Where nothing is cut and the noise interval is shorter, that is taken: it is exact. Its length before it is cut off
// at 0 decides: noise that makes a count small would else choose the interval that it falsifies. A sum of counts is not
// kept within what their noise alone allows: two intervals that miss at different times hold less, together, than
// either. The law is taken as a gamma law of that mean and variance (Wilson and Hilferty's cube root): it is not
// negative, and normal where the answer is large. Trips are whole numbers, so the ends are.
//
// The estimate is made so that sums are right; where single trips cannot be told from none it is a fraction for every
// pair. The best guess of one number by itself is the law's median (least mean absolute error), a whole number: mostly
// 0 there. Medians do not add up. Here the law has the leaves' own variances, without the factor above, which makes
// intervals hold and medians of small numbers too small.
//
// 3, 1/4 and 3.5 were set on San Francisco, Los Angeles and New York; docs/internals/zones.md has how often intervals
// hold, there and elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "query/coverage.h"
#include "release/release.h"

namespace stopover {

// Additive over leaves.
struct Belief {
  double variance = 0;  // of the first two parts
  double leaned = 0;    // L
  double told = 0;      // as `variance`, but every leaf's with its s^2 alone

  // `noise`: the variance of the leaf's own count.
  static Belief of_leaf(double estimate, double spread, double noise);
  // Of a share of `leaves` leaves whose estimates sum to n; several are taken as equal.
  Belief part(double share, double n, std::uint32_t leaves) const {
    const double taken = share * n;
    const double placed = (1 - share) * (taken + 0.25 * taken * taken / leaves);
    return {share * variance + placed, share * (share * leaned + (1 - share) * n), share * told + placed};
  }
  Belief& operator+=(const Belief& other) {
    variance += other.variance;
    leaned += other.leaned;
    told += other.told;
    return *this;
  }
  friend Belief operator-(const Belief& a, const Belief& b) {
    return {a.variance - b.variance, a.leaned - b.leaned, a.told - b.told};
  }
};

// How unsure the totals of the cells of axes are, from the release's maps of one axis.
class AxisDoubts {
 public:
  // REQUIRES: check_release passes; the answer model is maps.
  explicit AxisDoubts(const Release& release);

  // The relative variance t of the total of cells lo to hi of an axis (an edge inside a cell takes a part of it), or of
  // a weighted choice of cells; 0 for an axis without map.
  double of(std::size_t axis, double lo, double hi) const;
  double of(std::size_t axis, const Coverage& line) const;

 private:
  struct Line {
    std::vector<double> total, variance;  // running sums, one more than cells
  };
  std::vector<Line> lines_;  // by axis; empty: none
};

// The variance of an answer, `doubt` the sum over axes of t.
double believed_variance(const Belief& belief, double doubt);

struct LikelyRange {
  double lower = 0, upper = 0;
};

// Whole numbers, not negative, that hold the truth of an answer with this probability. `reach`: normal_half_width of
// the level.
LikelyRange likely_range(double estimate, double variance, double reach);

// The median of whole numbers that are Poisson about a gamma law, together of this mean and variance. REQUIRES:
// estimate and variance not negative.
double likely_median(double estimate, double variance);

}  // namespace stopover
