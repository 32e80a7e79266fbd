// Visitors: what walks over an index (box_walk.h, map_walk.h, region_walk.h, sum_walk.h) add up on their way.
//
// A walk tells a visitor what lies inside the question, what is cut and with which share; the visitor keeps the
// estimate alone, or least squares with the cumulants of its noise, or the list of measurements with their weights.
// answerer.h has the algebra; only answerer.cc uses them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "query/box_index.h"
#include "query/noise_interval.h"
#include "query/placement.h"

namespace stopover::answering {

using Node = BoxIndex::Node;
using Measurement = BoxIndex::Measurement;

// Pieces of the noise below this share of its variance are not listed one by one, nor more than so many.
constexpr double kSmallPiece = 1.0 / 64;
constexpr std::size_t kMostTerms = 1024;

// What every walk learns.
// They need no algebra: each is a plain sum or a maximum over what is inside and what is cut.
struct Totals {
  double estimate = 0;
  std::uint64_t cut = 0;
  double largest_share = 0;
  Placement placement{};
};

// Sums over the children of one node: B and the joint cumulants of (B, S) that S alone does not give.
struct Family {
  // With K(B^i S^j) for the joint cumulant of i times B and j times S: bb = K(BB) the variance of B, bs = K(BS), b4 =
  // K(BBBB), b3s = K(BBBS) and so on. Odd ones are 0, as the noise is symmetric. Those of S alone are in the index.
  double b = 0;
  double bb = 0, bs = 0;
  double b4 = 0, b3s = 0, b2s2 = 0, bs3 = 0;
  std::uint32_t gain = 0;  // where its G goes
};

// A node whose `own` is still to be opened into measurements, and the weight that it has in the answer.
struct Piece {
  std::uint32_t node;
  double weight;
};

// Leaves of one family added up without a branch, whether inside or cut.
struct LeafRun {
  // Sums over the leaves of f n and of f z, and the largest f.
  double estimate = 0, own = 0, largest = 0;
  // A leaf of share f has q = f z, so K(q^i z^j) = f^i K(z^(i+j)): where all leaves have one variance, sums of powers
  // of f are enough, and the fourth cumulant is multiplied once.
  double share1 = 0, share2 = 0, share3 = 0, share4 = 0;
  double variance1 = 0, variance2 = 0;  // with the share, and its square
  std::uint64_t cuts = 0;
  Placement placement{};

  void add(double share, bool cut, double n, double value, double variance, const Belief& belief) {
    const double squared = share * share;
    // The two answers: by consistent estimates n, and by the unprojected values z.
    estimate += share * n;
    own += share * value;
    largest = std::max(largest, share);
    share1 += share;
    share2 += squared;
    share3 += squared * share;
    share4 += squared * squared;
    variance1 += share * variance;
    variance2 += squared * variance;
    // A leaf wholly inside comes here too, with a share of 1 and cut = false: all formulas are the same for it.
    cuts += cut;
    placement.add_any(share, cut, n, value, variance, belief);
  }
  void add_to(Totals& totals) const {
    totals.estimate += estimate;
    totals.largest_share = std::max(totals.largest_share, largest);
    totals.cut += cuts;
    // Sums over leaves are sums over families: the order matters for rounding only.
    totals.placement += placement;
  }
};

// Estimates without noise.
// The answer is sum f n over leaves, n the consistent estimate and f the covered share; sums of whole subtrees are
// stored.
struct EstimateVisitor {
  static constexpr bool kMeasurements = false, kOutside = false, kTakesAnyLeaf = true;
  Totals totals{};

  template <typename Sum>
  void inside(std::uint32_t, std::uint32_t, std::uint32_t, Sum sum) {
    totals.estimate += sum().estimate;
  }
  template <typename Sum>
  void cut(std::uint32_t, std::uint32_t n, double share, std::uint32_t, Sum sum) {
    totals.estimate += share * sum().estimate;
    totals.cut += n;
  }
  template <typename Each>
  void any_leaves(const Node&, const Sums* sums, Each each) {
    double estimate = 0;
    std::uint64_t cuts = 0;
    // Leaves of one family are summed by themselves and added once: the order of summation is that of the leaves.
    each([&](std::uint32_t at, double share, bool cut) {
      estimate += share * sums[at].estimate;
      cuts += cut;
    });
    totals.estimate += estimate;
    totals.cut += cuts;
  }
};

// Sums of the leaves' own counts.
// The answer is sum f y, y the noisy count of a leaf: unbiased but for how trips lie in cut leaves, and noisier than
// least squares, which also hears the counts above.
struct PlainVisitor {
  static constexpr bool kMeasurements = false, kOutside = false, kTakesAnyLeaf = true;
  Totals totals{};
  NoiseCumulants noise{};

  template <typename Sum>
  void inside(std::uint32_t, std::uint32_t, std::uint32_t, Sum sum) {
    const Sums s = sum();
    // Counts of different leaves have independent noises: cumulants of every order add.
    totals.estimate += s.count;
    totals.largest_share = 1;
    totals.placement.add_inside(s.count, s.count_variance);
    noise.second += s.count_variance;
    noise.fourth += s.count_fourth;
  }
  template <typename Sum>
  void cut(std::uint32_t, std::uint32_t n, double share, std::uint32_t, Sum sum) {
    const Sums s = sum();
    const double share2 = share * share;
    totals.estimate += share * s.count;
    totals.largest_share = std::max(totals.largest_share, share);
    totals.cut += n;
    totals.placement.add_cut(share, s.count, s.count, s.count_variance, n);
    // The cumulant of order k of f X is f^k times that of X.
    noise.second += share2 * s.count_variance;
    noise.fourth += share2 * share2 * s.count_fourth;
  }
  template <typename Each>
  void any_leaves(const Node& parent, const Sums* sums, Each each) {
    LeafRun run;
    // Plain counts stand for both: the estimate n and the unprojected value are the same number here.
    each([&](std::uint32_t at, double share, bool cut) {
      run.add(share, cut, sums[at].count, sums[at].count, sums[at].count_variance, {});
    });
    run.add_to(totals);
    noise.second += run.variance2;
    // Leaves of equal variance have equal fourth cumulants: sum f^4 times one of them. Otherwise leaf by leaf.
    if (parent.leaf_variance >= 0) {
      noise.fourth += run.share4 * laplace_fourth(parent.leaf_variance);
    } else {
      each([&](std::uint32_t at, double share, bool) {
        noise.fourth += share * share * share * share * sums[at].count_fourth;
      });
    }
  }
};

// Consistent estimates, and least squares with the cumulants of its noise.
// Each family on the border is open at one time: children add their (q, z) to B and S as the walk meets them, and
// leaving the parent turns (B, S) into its own (q, z), which goes to the family above. answerer.h has the two lines of
// algebra.
struct LeastSquaresVisitor {
  static constexpr bool kMeasurements = true, kOutside = false, kTakesAnyLeaf = true;
  const Node* nodes;
  const Measurement* measurements;
  std::vector<Family>& families;  // the open ones above `family`
  std::vector<double>& gains;
  Totals totals{};
  Family family{};

  template <typename Sum>
  void inside(std::uint32_t, std::uint32_t, std::uint32_t, Sum sum) {
    const Sums s = sum();
    totals.estimate += s.estimate;
    // Atoms of the noise are at most one share apart: what the interval is widened by.
    totals.largest_share = 1;
    totals.placement.add_inside(s.own, s.variance, s.belief);
    // q = z: all joint cumulants of (q, z) are those of z.
    family.b += s.own;
    family.bb += s.variance;
    family.bs += s.variance;
    family.b4 += s.fourth;
    family.b3s += s.fourth;
    family.b2s2 += s.fourth;
    family.bs3 += s.fourth;
  }
  template <typename Sum>
  void cut(std::uint32_t at, std::uint32_t n, double share, std::uint32_t, Sum sum) {
    const Sums s = sum();
    totals.estimate += share * s.estimate;
    totals.largest_share = std::max(totals.largest_share, share);
    totals.cut += n;
    totals.placement.add_cut(share, s.estimate, s.own, s.variance, n, s.belief);
    if (nodes[at].found) totals.placement.found.add(share, s.estimate, s.own, s.variance);
    add_share(share, s);
  }
  template <typename Each>
  void any_leaves(const Node& parent, const Sums* sums, Each each) {
    LeafRun run;
    // B, bs and bb as add_share would add them, leaf by leaf: sum f z, sum f var(z), sum f^2 var(z).
    each([&](std::uint32_t at, double share, bool cut) {
      run.add(share, cut, sums[at].estimate, sums[at].own, sums[at].variance, sums[at].belief);
    });
    run.add_to(totals);
    if (parent.found) {
      each([&](std::uint32_t at, double share, bool cut) {
        const Sums& s = sums[at];
        if (cut && nodes[at].found) totals.placement.found.add(share, s.estimate, s.own, s.variance);
      });
    }
    family.b += run.own;
    family.bs += run.variance1;
    family.bb += run.variance2;
    // K(q^i z^(4-i)) = f^i K(z^4). With one K(z^4) for all leaves, sums of powers of f are all that is needed.
    if (parent.leaf_variance >= 0) {
      const double fourth = laplace_fourth(parent.leaf_variance);
      family.bs3 += run.share1 * fourth;
      family.b2s2 += run.share2 * fourth;
      family.b3s += run.share3 * fourth;
      family.b4 += run.share4 * fourth;
    } else {
      each([&](std::uint32_t at, double share, bool) { add_fourth(share, sums[at].fourth); });
    }
  }
  void add_share(double share, const Sums& s) {
    // A leaf without share (f = 0) adds nothing to B, but its z is in S, which the index knows.
    family.b += share * s.own;
    // q = f z: one factor f for every q in a cumulant.
    const double variance = share * s.variance;
    family.bs += variance;
    family.bb += share * variance;
    add_fourth(share, s.fourth);
  }
  void add_fourth(double share, double fourth) {
    const double bs3 = share * fourth, b2s2 = share * bs3, b3s = share * b2s2;
    // f^i times the fourth cumulant, for i times q.
    family.bs3 += bs3;
    family.b2s2 += b2s2;
    family.b3s += b3s;
    family.b4 += share * b3s;
  }
  void enter(std::uint32_t) {
    // The family that was open waits on the stack while the node's own children are added up.
    families.push_back(family);
    family = Family{};
    family.gain = static_cast<std::uint32_t>(gains.size());
    // Filled when the family is closed; a second walk, in the same order, reads it.
    gains.push_back(0);
  }
  void leave(std::uint32_t at) {
    const Measurement& m = measurements[nodes[at].measurement];
    const Family f = family;
    // The node was measured as y, with noise independent of everything below it. z = a y + r S, where r = 1 - a, and q
    // = B + G a (y - S): the best estimate of the covered part is B, corrected as far as B goes with S by what y tells
    // of S. This is the update of a Kalman filter, exact for any noise of these variances (Gauss and Markov).
    // G = cov(B, S)/var(S): the regression of the covered part on the whole. By cov(q, z) = G var(z) it is the mean of
    // the children's G, weighted by their variances. A leaf's G is its share f, so all lie between 0 and 1.
    const double gain = f.bs / m.children.variance;
    gains[f.gain] = gain;
    const double a = m.weight, r = m.rest, s4 = m.children.fourth;
    const double h = gain * a, h2 = h * h, h3 = h2 * h;
    // From here on `family` is the one that this node is a child of, and receives its (q, z).
    family = families.back();
    families.pop_back();
    // Cumulants are multilinear, and those that mix y with B or S vanish. So with h = G a, from q = (B - h S) + h y and
    // z = r S + a y: K(q^i z^j) = K((B - h S)^i (r S)^j) + h^i a^j K(y^(i+j)), expanded by the binomial theorem.
    family.b += f.b + h * (m.count - m.children.own);
    // As h = bs/(ss + yy), this is bb - bs^2/(ss + yy): a measurement can only lower the variance.
    family.bb += f.bb - 2 * h * f.bs + h2 * (m.children.variance + m.variance);
    // cov(q, z) = r (bs - h ss) + h a yy, ss and yy the variances of S and y. As a = ss/(ss + yy), a yy = r ss: what h
    // brings cancels.
    family.bs += r * f.bs;
    // i = 4: binomial coefficients 1, 4, 6, 4, 1 with the signs of (B - h S)^4.
    family.b4 += f.b4 - 4 * h * f.b3s + 6 * h2 * f.b2s2 - 4 * h3 * f.bs3 + h2 * h2 * (s4 + m.fourth);
    // i = 3, j = 1, then 2 and 2, 1 and 3.
    // Every z brings a factor r to S and a factor a to y.
    family.b3s += r * (f.b3s - 3 * h * f.b2s2 + 3 * h2 * f.bs3 - h3 * s4) + h3 * a * m.fourth;
    family.b2s2 += r * r * (f.b2s2 - 2 * h * f.bs3 + h2 * s4) + h2 * a * a * m.fourth;
    family.bs3 += r * r * r * (f.bs3 - h * s4) + h * a * a * a * m.fourth;
  }
};

// The list of measurements with their weights in an answer.
// The noise of an answer is sum w_i X_i over independent measurements: these are the w_i.
struct TermList {
  std::vector<NoiseTerm>& terms;
  double small;  // a piece of less variance goes to `rest`
  NoiseRest rest{};

  bool too_small(double weight, double variance, double fourth) {
    // Small pieces are kept as cumulants, which add exactly; only the shape of their sum is then approximate.
    const double weight2 = weight * weight;
    if (weight2 * variance > small && terms.size() < kMostTerms) return false;
    rest.noise.second += weight2 * variance;
    rest.noise.fourth += weight2 * weight2 * fourth;
    rest.step = std::max(rest.step, weight < 0 ? -weight : weight);
    return true;
  }
  void add(double weight, double variance, std::uint64_t times = 1) {
    // `times` equal pieces are judged together: split up, each might be too small and the sum not.
    const double n = static_cast<double>(times);
    if (too_small(weight, n * variance, n * laplace_fourth(variance))) return;
    // Equal neighbours, of which a grid has thousands, are one term.
    if (!terms.empty() && terms.back().weight == weight && terms.back().variance == variance) {
      terms.back().times += times;
    } else {
      terms.push_back({weight, variance, times});
    }
  }
};

// Plain answers: the weight of a leaf's count is its covered share. Counts above leaves have weight 0.
struct PlainTermsVisitor {
  static constexpr bool kMeasurements = false, kOutside = false;
  const Node* nodes;
  const Sums* sums;
  std::vector<Piece>& pieces;
  TermList list;

  template <typename Sum>
  void inside(std::uint32_t first, std::uint32_t n, std::uint32_t parent, Sum) {
    run(first, n, 1, parent);
  }
  template <typename Sum>
  void cut(std::uint32_t first, std::uint32_t n, double share, std::uint32_t parent, Sum) {
    run(first, n, share, parent);
  }
  void run(std::uint32_t first, std::uint32_t n, double weight, std::uint32_t parent) {
    // A run of leaves of one variance is one term.
    if (parent != BoxIndex::kNone && nodes[parent].all_leaves && nodes[parent].leaf_variance >= 0) {
      list.add(weight, nodes[parent].leaf_variance, n);
      return;
    }
    for (std::uint32_t at = first; at < first + n; ++at) expand(at, weight);
  }
  void expand(std::uint32_t from, double weight) {
    // A stack instead of recursion: trees may be deep. Every leaf below has the same weight.
    pieces.assign(1, {from, weight});
    while (!pieces.empty()) {
      const std::uint32_t at = pieces.back().node;
      const Node& node = nodes[at];
      pieces.pop_back();
      // A subtree that is too small as a whole is not opened.
      if (list.too_small(weight, sums[at].count_variance, sums[at].count_fourth)) continue;
      // A leaf always has a variance, so that the way down ends.
      if (node.leaf_variance >= 0) {
        list.add(weight, node.leaf_variance, node.leaves);
      } else {
        for (std::uint32_t i = 0; i < node.children; ++i) pieces.push_back({node.first + i, weight});
      }
    }
  }
};

// Least squares answers, from the root down. The answer is linear in all measurements; this walk undoes the recursion
// of LeastSquaresVisitor, and meets nodes in the same order, so that gains are read as they were written.
struct LeastSquaresTermsVisitor {
  static constexpr bool kMeasurements = true, kOutside = true;
  const Node* nodes;
  const Sums* sums;
  const Measurement* measurements;
  const std::vector<double>& gains;
  std::vector<double>& shifts;
  std::vector<Piece>& pieces;
  TermList list;
  std::size_t next_gain = 0;
  // u of answerer.h: the weight that a child's z has besides its own share, because siblings are corrected by the same
  // y.
  double shift = 0;

  // Nodes outside the region take part as soon as a measured ancestor corrects all of its children.
  // At the root, and as long as no ancestor was measured, shift is 0 and what lies outside has weight 0.
  bool wants_outside() const { return shift != 0; }
  // Rounding may leave a difference of sums a little below 0.
  bool outside_together(const Sums& sum) {
    return list.too_small(shift, std::max(0.0, sum.variance), std::max(0.0, sum.fourth));
  }
  void outside(std::uint32_t first, std::uint32_t n, std::uint32_t parent) { run(first, n, shift, parent); }
  // A node inside has q = z, so z has the weight 1 of its own and the shift; a cut leaf the share f and the shift.
  template <typename Sum>
  void inside(std::uint32_t first, std::uint32_t n, std::uint32_t parent, Sum) {
    run(first, n, 1 + shift, parent);
  }
  template <typename Sum>
  void cut(std::uint32_t first, std::uint32_t n, double share, std::uint32_t parent, Sum) {
    run(first, n, share + shift, parent);
  }
  void enter(std::uint32_t at) {
    const Measurement& m = measurements[nodes[at].measurement];
    const double gain = gains[next_gain++];
    // The node's part of the answer is q + u z, with q = B + G a (y - S) and z = a y + r S. Sorted by what was
    // measured: B + c a y + (c r - G) S, where c = G + u. So y has the weight c a, and the children's z the extra
    // weight u' = c r - G.
    const double weight = gain + shift;
    list.add(weight * m.weight, m.variance);
    shifts.push_back(shift);
    shift = weight * m.rest - gain;
  }
  void leave(std::uint32_t) {
    // Siblings of the node that is left see the shift of their own family again.
    shift = shifts.back();
    shifts.pop_back();
  }
  void run(std::uint32_t first, std::uint32_t n, double weight, std::uint32_t parent) {
    // Leaves: z is the count itself.
    if (parent != BoxIndex::kNone && nodes[parent].all_leaves && nodes[parent].leaf_variance >= 0) {
      list.add(weight, nodes[parent].leaf_variance, n);
      return;
    }
    for (std::uint32_t at = first; at < first + n; ++at) expand(at, weight);
  }
  // A node's `own`, with that weight, as measurements.
  void expand(std::uint32_t from, double from_weight) {
    pieces.assign(1, {from, from_weight});
    while (!pieces.empty()) {
      const std::uint32_t at = pieces.back().node;
      const Node& node = nodes[at];
      double weight = pieces.back().weight;
      pieces.pop_back();
      if (list.too_small(weight, sums[at].variance, sums[at].fourth)) continue;
      // No inner count below: z is the plain sum of the leaves' counts, all of one variance.
      if (node.bare && node.leaf_variance >= 0) {
        list.add(weight, node.leaf_variance, node.leaves);
        continue;
      }
      if (node.measurement != BoxIndex::kNone) {
        const Measurement& m = measurements[node.measurement];
        list.add(weight * m.weight, m.variance);
        // z = a y + r S, opened for one node after the other.
        weight *= m.rest;
      }
      // S is the sum of the children's z, so each of them gets the weight of S.
      for (std::uint32_t i = 0; i < node.children; ++i) pieces.push_back({node.first + i, weight});
    }
  }
};

}  // namespace stopover::answering
