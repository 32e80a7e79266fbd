#include "mechanism/tuple_sums.h"

#include <algorithm>
#include <cmath>

#include "release/consistency.h"

namespace stopover {
namespace {

constexpr int kTurns = 12;

// Sums over the leaves that hold a zone, each divided by the mass of its zones (its square, its cube) on the axis:
// times the zone's own mass they are what the zone has.
struct Run {
  LeafSum leaves;
  double variance = 0;
  double n = 0, n_by_square = 0, squared = 0, squared_by_cube = 0;

  void add(const LeafSum& leaf, double v, double mass, double sign) {
    const double share = sign / mass, trips = leaf.mean();
    leaves.add_share(leaf, share);
    variance += v * share;
    n += trips * share;
    n_by_square += trips * share / mass;
    squared += trips * trips * share / mass;
    squared_by_cube += trips * trips * share / mass / mass;
  }
  Run& operator+=(const Run& other) {
    leaves.add_share(other.leaves, 1);
    variance += other.variance;
    n += other.n;
    n_by_square += other.n_by_square;
    squared += other.squared;
    squared_by_cube += other.squared_by_cube;
    return *this;
  }
  // How far shares of leaves may be off: (1 - s)(s n + (s n)^2/4) for a leaf of n trips of which the zone has the share
  // s, trips that choose one by one and a share that is off by half of itself (query/belief.h).
  double placed(double mass) const {
    const double chosen = mass * n - mass * mass * n_by_square;
    const double guessed = mass * mass * squared - mass * mass * mass * squared_by_cube;
    return std::max(0.0, chosen + guessed / 4);
  }
};

// The zones of one axis: their counts, and where leaves lie on it.
class AxisSums {
 public:
  AxisSums(const ZoneAxis& axis, double rate, const Table& joint, std::size_t first_leaf, const TupleSums& of)
      : axis_(axis), lo_(joint.lo[axis.axis].data() + first_leaf), hi_(joint.hi[axis.axis].data() + first_leaf) {
    up_to_.assign(axis.zones + 1, 0.0);
    for (std::size_t zone = 0; zone < axis.zones; ++zone) up_to_[zone + 1] = up_to_[zone] + axis.mass[zone];
    std::vector<Run> begin(axis.zones), end(axis.zones);
    for (std::size_t leaf = 0; leaf < of.leaves.size(); ++leaf) {
      const double mass = up_to_[hi_[leaf]] - up_to_[lo_[leaf]];
      begin[lo_[leaf]].add(of.leaves[leaf], of.variance[leaf], mass, 1);
      end[hi_[leaf] - 1].add(of.leaves[leaf], of.variance[leaf], mass, -1);
    }
    Run run;
    for (std::size_t zone = 0; zone < axis.zones; ++zone) {
      run += begin[zone];
      const double mass = axis.mass[zone];
      LeafSum held;
      held.add_share(run.leaves, mass);
      KnownValue of_leaves = held.value();
      of_leaves.variance += run.placed(mass);
      const KnownValue known = join(of_leaves, {static_cast<double>(axis.counts[zone]), noise_variance(rate)});
      const double trust = run.variance * mass / (held.variance_of_beliefs() + run.placed(mass));
      constraints_.push_back({{known.value, known.variance * trust}});
      run += end[zone];
    }
  }

  void turn(std::span<double> e, std::span<const float> v) {
    std::vector<double> sums(up_to_.size(), 0.0), variances(up_to_.size(), 0.0);
    for (std::size_t leaf = 0; leaf < e.size(); ++leaf) {
      const double mass = up_to_[hi_[leaf]] - up_to_[lo_[leaf]];
      sums[lo_[leaf]] += e[leaf] / mass;
      sums[hi_[leaf]] -= e[leaf] / mass;
      variances[lo_[leaf]] += v[leaf] / mass;
      variances[hi_[leaf]] -= v[leaf] / mass;
    }
    std::vector<double> by(up_to_.size(), 0.0);
    double sum = 0, variance = 0;
    for (std::size_t zone = 0; zone < axis_.zones; ++zone) {
      sum += sums[zone];
      variance += variances[zone];
      const double mass = axis_.mass[zone];
      by[zone + 1] = by[zone] + mass * constraints_[zone].step(sum * mass, std::max(0.0, variance * mass));
    }
    for (std::size_t leaf = 0; leaf < e.size(); ++leaf) {
      const std::size_t lo = lo_[leaf], hi = hi_[leaf];
      e[leaf] = std::max(0.0, e[leaf] + v[leaf] * (by[hi] - by[lo]) / (up_to_[hi] - up_to_[lo]));
    }
  }

 private:
  const ZoneAxis& axis_;
  const std::uint32_t *lo_, *hi_;
  std::vector<double> up_to_;  // masses below a zone
  std::vector<SumConstraint> constraints_;
};

void turn_of_blocks(std::span<double> e, TupleSums& of) {
  std::vector<KnownValue> sums(of.blocks.size());
  for (std::size_t leaf = 0; leaf < e.size(); ++leaf) {
    sums[of.block_of[leaf]].value += e[leaf];
    sums[of.block_of[leaf]].variance += of.variance[leaf];
  }
  std::vector<double> by;
  for (std::size_t block = 0; block < sums.size(); ++block)
    by.push_back(of.blocks[block].step(sums[block].value, sums[block].variance));
  for (std::size_t leaf = 0; leaf < e.size(); ++leaf)
    e[leaf] = std::max(0.0, e[leaf] + by[of.block_of[leaf]] * of.variance[leaf]);
}

void turn_of_all(std::span<double> e, TupleSums& of) {
  KnownValue sum;
  for (std::size_t leaf = 0; leaf < e.size(); ++leaf) {
    sum.value += e[leaf];
    sum.variance += of.variance[leaf];
  }
  const double by = of.all.step(sum.value, sum.variance);
  for (std::size_t leaf = 0; leaf < e.size(); ++leaf) e[leaf] = std::max(0.0, e[leaf] + by * of.variance[leaf]);
}

}  // namespace

void reconcile_tuples(const ZoneModel& model, Table& joint, std::size_t first_leaf, TupleSums sums) {
  const std::span<double> e(joint.estimate.data() + first_leaf, joint.rows() - first_leaf);
  std::vector<AxisSums> axes;
  for (const ZoneAxis& axis : model.axes) {
    if (!axis.counts.empty()) axes.emplace_back(axis, model.margin_rate, joint, first_leaf, sums);
  }
  for (int turn = 0; turn < kTurns; ++turn) {
    if (!std::isinf(sums.all.counted.variance)) turn_of_all(e, sums);
    if (!sums.blocks.empty()) turn_of_blocks(e, sums);
    for (AxisSums& axis : axes) axis.turn(e, sums.variance);
  }
}

}  // namespace stopover
