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
//     the relative variance of the total of the zones asked of one axis: 4 L^2 t, added over axes. t is taken as if
//     the region's leaves leaned on its zones in proportion to their totals.
//   - What all leaves have in common. Beliefs are not negative, so those of thousands of empty pairs sum to trips that
//     are not there: to all of U at most, which leaves of less than three standard deviations of their noise hold. How
//     many there are is known from what was counted of all trips: by the zones of every axis, and by all leaves as they
//     were counted, which together err by V. So all of the table errs by min(V, U^2), where more than four leaves lean
//     on others. Errors of parts cancel, and intervals of rows and rectangles hold without it: with L' the sum of L
//     over the whole table, a part has (L/L')^4 of it.
// Even tables. The 3, the 1/4, and that a part f of a leaf has f s^2, are for tables whose trips lie anyhow. Whether
// they do is seen in the leaves. With b what the product of the zones' totals says of a leaf of several cells, within
// its parent, and z its count, D is sum((z - b)^2 - noise - b)/sum b^2 and two of its own standard errors, and d is
// q D + 1 - q, q the share of trips in such leaves, at most 1/4. At d = 0 a leaf has s^2, a part of it
// f^2 s^2 + (1 - f) fn, and what is shared is 9 L^2 t instead of 4 L^2 t; between, evenly in d, so that a part's trips
// lie elsewhere by d (fn)^2. With one axis, or three and more, d is 1/4.
// Then zones were counted by themselves, too. Beliefs of a whole row sum to a total whose count errs by M, and were
// moved to it, so that they err against each other. An answer of variance B that is the share q of its zones' total has
//   B (1 - q B/(B + 2 q M)),
// for every axis, B/q being what the total errs by without that count: a row B 2M/(B + 2M), a pair nearly B. 2 M, as
// what is left was not independent.
// Where nothing is cut and the noise interval is shorter, that is taken: it is exact. Its length before it is cut off
// at 0 decides: noise that makes a count small would else choose the interval that it falsifies. A sum of counts is not
// kept within what their noise alone allows: two intervals that miss at different times hold less, together, than
// either. The law is taken as a gamma law of that mean and variance (Wilson and Hilferty's cube root): it is not
// negative, and normal where the answer is large.
//
// Trips are whole numbers, so the ends are: the law's, rounded, as a whole number x has what the law has from x - 1/2
// to x + 1/2. An interval that begins at 0 misses on one side alone, and that side has all of what may be missed: its
// upper end is then that of a one-sided interval. Where one count alone says that a pair holds trips (its noise
// interval lies above 0), the upper end is that of its noise at least: who asks for just that pair may know that it is
// busy, which the law, of all pairs like it, does not.
//
// The estimate is made so that sums are right; where single trips cannot be told from none it is a fraction for every
// pair. The best guess of one number by itself is the law's median (least mean absolute error), a whole number: mostly
// 0 there. Medians do not add up. Here the law has the leaves' own variances, without the factor above, which makes
// intervals hold and medians of small numbers too small.
//
// 3, 1/4 and 4 were set on San Francisco, Los Angeles and New York, 9 on 500 and 2,000 irregular zones of San
// Francisco; docs/internals/zones.md has how often intervals hold, there and elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "query/coverage.h"
#include "release/release.h"

namespace stopover {

// Additive over leaves.
struct Belief {
  double variance = 0;  // of the first two parts, in a table whose trips lie anyhow
  double leaned = 0;    // L
  double told = 0;      // as `variance`, but every leaf's with its s^2 alone
  double even = 0;      // of the first two parts, in a table whose leaves are products of their zones' totals

  // `noise`: the variance of the leaf's own count.
  static Belief of_leaf(double estimate, double spread, double noise);
  // Of a share of `leaves` leaves whose estimates sum to n; several are taken as equal.
  Belief part(double share, double n, std::uint32_t leaves) const {
    const double taken = share * n;
    const double placed = (1 - share) * (taken + 0.25 * taken * taken / leaves);
    return {share * variance + placed, share * (share * leaned + (1 - share) * n), share * told + placed,
            share * share * even + (1 - share) * taken};
  }
  Belief& operator+=(const Belief& other) {
    variance += other.variance;
    leaned += other.leaned;
    told += other.told;
    even += other.even;
    return *this;
  }
  friend Belief operator-(const Belief& a, const Belief& b) {
    return {a.variance - b.variance, a.leaned - b.leaned, a.told - b.told, a.even - b.even};
  }
};

// A total that an answer is a part of, and the variance of its own count.
struct KnownTotal {
  double total = 0;
  double noise = std::numeric_limits<double>::infinity();
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

  // What leaves have in common over the whole table: min(V, U^2)/L'^4.
  double common() const { return common_; }

  // 4 d: 1 where trips lie anyhow, 0 where leaves are products of their zones' totals.
  double unevenness() const { return unevenness_; }

  // What the total of cells lo to hi is, and what its counts err by; nothing known for an axis without map.
  KnownTotal known(std::size_t axis, double lo, double hi) const;

 private:
  double departure(const Table& table, const Release& release) const;  // d

  struct Line {
    std::vector<double> total, variance, noise;  // running sums, one more than cells
  };
  std::vector<Line> lines_;  // by axis; empty: none
  double common_ = 0;
  double unevenness_ = 1;
};

// What an answer depends on besides its own leaves.
struct SharedDoubt {
  double totals = 0;      // the sum over axes of t
  double common = 0;      // what is that of the whole table
  double unevenness = 1;  // 4 d
};

// The variance of an answer.
double believed_variance(const Belief& belief, const SharedDoubt& doubt);

// What is left of the variance of an estimate, given the counts of totals that it is part of.
double within_totals(double estimate, double variance, std::span<const KnownTotal> totals);

struct LikelyRange {
  double lower = 0, upper = 0;
  double upper_alone = 0;  // missed half as often as the whole: `upper`, unless `lower` is 0
};

// How many standard deviations of a normal law hold a level: between two ends, and below one.
struct LikelyReach {
  double both = 0, above = 0;
};
LikelyReach likely_reach(double level);

// Whole numbers, not negative, that hold the truth of an answer with the probability of the reach.
LikelyRange likely_range(double estimate, double variance, LikelyReach reach);

// The median of whole numbers that are Poisson about a gamma law, together of this mean and variance. REQUIRES:
// estimate and variance not negative.
double likely_median(double estimate, double variance);

}  // namespace stopover
