#include "mechanism/zone_estimate.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"
#include "mechanism/empirical_bayes.h"
#include "mechanism/leaf_sum.h"
#include "mechanism/sum_constraint.h"
#include "mechanism/tuple_sums.h"
#include "release/consistency.h"

namespace stopover {
namespace {

constexpr int kRounds = 4, kSweeps = 6;
constexpr double kLooseness = 0.05;     // of sums that quantiles are moved to
constexpr double kFirm = 0.1;           // of the variance of all trips: how sure it is told to be
constexpr double kFirmness = 0.02;      // the looseness of all trips
constexpr double kTogether = 3;         // how much more the variance of a sum may be than that of its parts
constexpr double kDeparture = 0.3;      // kappa: variance of a pair around its base over the base squared
constexpr double kLessOfEven = 0.85;     // of the doubt about zones' totals: what even tables do not tell
constexpr std::size_t kDistances = 16;  // the same zone, then so many less one quantiles of distance
constexpr double kFactorPrior = 20;     // trips times epsilon that a distance factor of 1 weighs
constexpr double kLeastSum = 0.01;  // scales of a leaf's count: a block is not expected to hold less
constexpr std::size_t kMostPairs = std::size_t{1} << 27;  // that are kept one by one

// The leaves of the joint table on their way to estimates.
class Leaves {
 public:
  Leaves(ZoneModel& model, Table& joint, std::size_t first_leaf, double rate, const Domain& domain)
      : model_(model),
        joint_(joint),
        first_(first_leaf),
        n_(joint.rows() - first_leaf),
        blocks_(model.block_count()),
        rate_(rate),
        noise_(noise_variance(rate)),
        domain_(domain) {
    if (model.axes.size() == 2) {
      rows_ = model.axes[0].zones;
      columns_ = model.axes[1].zones;
      pairwise_ = rows_ * columns_ <= kMostPairs;
    }
    square_ = pairwise_ && rows_ == columns_;
  }

  void run() {
    base_.resize(n_);
    sums_ = model_.blocks.doubted;
    if (pairwise_) {
      pair_base_.resize(rows_ * columns_);
      pair_belief_.resize(rows_ * columns_);
      sort_by_distance();
    } else {
      for (const ZoneAxis& axis : model_.axes) {
        std::vector<double>& up_to = mass_up_to_.emplace_back(axis.zones + 1, 0.0);
        for (std::size_t zone = 0; zone < axis.zones; ++zone) up_to[zone + 1] = up_to[zone] + axis.mass[zone];
      }
    }
    const std::span<const std::int64_t> counts(joint_.count.data() + first_, n_);
    for (int round = 0; round < kRounds; ++round) {
      if (pairwise_) spread_base(round > 0);
      set_bases(round > 0);
      believed_ = empirical_bayes(base_, counts, rate_, {.doubt = 3, .quantiles = round + 1 == kRounds});
      set_block_sums();
      if (pairwise_) spread_beliefs();
    }
    if (pairwise_) {
      reconcile_pairs();
    } else {
      reconcile_leaves();
    }
    sum_up();
    set_spread();
  }

 private:
  std::size_t block_of(std::size_t leaf) const {
    return blocks_ == 1 ? 0 : static_cast<std::size_t>(joint_.parent[first_ + leaf]) - 1;
  }
  Interval side(std::size_t leaf, std::size_t a) const {
    const std::size_t axis = model_.axes[a].axis;
    return {joint_.lo[axis][first_ + leaf], joint_.hi[axis][first_ + leaf]};
  }
  bool single(std::size_t leaf) const { return side(leaf, 0).width() == 1 && side(leaf, 1).width() == 1; }
  std::size_t pair(std::size_t leaf) const { return side(leaf, 0).lo * columns_ + side(leaf, 1).lo; }
  template <typename Work>
  void for_pairs(std::size_t leaf, const Work& work) const {
    const Interval i = side(leaf, 0), j = side(leaf, 1);
    for (std::size_t row = i.lo; row < i.hi; ++row) {
      for (std::size_t p = row * columns_ + j.lo; p < row * columns_ + j.hi; ++p) work(p);
    }
  }
  // Threads only where there is work for them.
  template <typename Work>
  void in_parallel(std::size_t tasks, const Work& work) const {
    if (std::max(n_, rows_ * columns_) < 8192) {
      for (std::size_t task = 0; task < tasks; ++task) work(task);
    } else {
      tbb::parallel_for(std::size_t{0}, tasks, work);
    }
  }
  template <typename Work>
  void for_leaves(const Work& work) const {
    in_parallel(n_, work);
  }

  // Classes of pairs that share a factor: the same zone, and quantiles of distance by what the product of the totals
  // expects; without places the same zone and all others; without a common numbering of zones none.
  void sort_by_distance() {
    factors_.assign(square_ ? kDistances : 1, 1.0);
    distance_.assign(rows_ * columns_, square_ ? 1 : 0);
    if (!square_) return;
    const auto is_zones = [&](std::size_t a) { return domain_.axis(model_.axes[a].axis).kind == AxisKind::zone; };
    const ZoneSet* zones = domain_.zones();
    if (zones && zones->has_places() && is_zones(0) && is_zones(1)) {
      // Degrees of longitude shrink with latitude; only the order of distances matters.
      std::vector<PlanePoint> at;
      double latitude = 0;
      for (const ZoneRecord& zone : zones->all()) latitude += zone.place.y / static_cast<double>(zones->size());
      const double shrink = std::cos(latitude * std::numbers::pi / 180);
      for (const ZoneRecord& zone : zones->all()) at.push_back({zone.place.x * shrink, zone.place.y});
      const auto apart = [&](std::size_t i, std::size_t j) { return std::hypot(at[i].x - at[j].x, at[i].y - at[j].y); };
      double most = 0;
      for (const PlanePoint& point : at) most = std::max(most, std::hypot(point.x - at[0].x, point.y - at[0].y));
      constexpr std::size_t kSlots = 4096;
      const double per_cell = most > 0 ? (kSlots - 1) / (2 * most) : 0;
      std::vector<double> weight(kSlots, 0.0);
      double all = 0;
      for (std::size_t i = 0; i < rows_; ++i) {
        for (std::size_t j = 0; j < columns_; ++j) {
          if (i == j) continue;
          const double expected = model_.axes[0].mass[i] * model_.axes[1].mass[j];
          weight[static_cast<std::size_t>(apart(i, j) * per_cell)] += expected;
          all += expected;
        }
      }
      std::vector<std::uint8_t> class_of(kSlots);
      double below = 0;
      for (std::size_t c = 0; c < kSlots; ++c) {
        const double middle = all > 0 ? (below + weight[c] / 2) / all : 0;
        class_of[c] = static_cast<std::uint8_t>(
            1 + std::min<std::size_t>(kDistances - 2, static_cast<std::size_t>(middle * (kDistances - 1))));
        below += weight[c];
      }
      in_parallel(rows_, [&](std::size_t i) {
        for (std::size_t j = 0; j < columns_; ++j)
          distance_[i * columns_ + j] = class_of[static_cast<std::size_t>(apart(i, j) * per_cell)];
      });
    }
    for (std::size_t i = 0; i < rows_; ++i) distance_[i * columns_ + i] = 0;
  }

  double product(std::size_t p) const {
    return model_.axes[0].mass[p / columns_] * model_.axes[1].mass[p % columns_] * factors_[distance_[p]];
  }

  // The base of every pair, up to a factor per leaf: the product of its zones' totals, a factor of its distance, and of
  // what was found on the way back.
  void spread_base(bool again) {
    if (again && square_) {
      // In place: pair_belief_ becomes the fourth root of what the way back has over its base.
      const double t = 1 / rate_ + 0.2;
      const auto root = [&](std::size_t p) {
        return static_cast<float>(std::sqrt(std::sqrt((pair_belief_[p] + t) / (pair_base_[p] + t))));
      };
      for (std::size_t i = 0; i < rows_; ++i) {
        pair_belief_[i * columns_ + i] = 1;  // a zone's way to itself is no way back
        for (std::size_t j = i + 1; j < columns_; ++j) {
          const std::size_t there = i * columns_ + j, back = j * columns_ + i;
          const float way_there = root(there);
          pair_belief_[there] = root(back);
          pair_belief_[back] = way_there;
        }
      }
    }
    const int power = again && square_ ? best_power() : 0;
    in_parallel(rows_, [&](std::size_t i) {
      for (std::size_t p = i * columns_; p < (i + 1) * columns_; ++p) {
        double base = product(p);
        for (int k = 0; k < power; ++k) base *= pair_belief_[p];
        pair_base_[p] = static_cast<float>(base);
      }
    });
    if (again) fit_zones();
  }

  // What the counts of single pairs say of whole rows and columns: a zone's total was bought for little, and hundreds
  // of pairs together know better whether it is busy or empty. Row i is moved by the factor
  //   rho = (P + sum w z)/(P + sum w b),   w = b/(noise + b + kappa b^2),
  // the regression of counts z on their bases b, each weighed by how far it may be off (noise, chance, and kappa for
  // how pairs depart from products), with P = R^2/variance for the total R that was bought. Of a pair's own base its
  // own terms are left out.
  void fit_zones() {
    std::vector<double> block_sums(blocks_, 0.0);
    for (std::size_t leaf = 0; leaf < n_; ++leaf) {
      for_pairs(leaf, [&](std::size_t p) { block_sums[block_of(leaf)] += pair_base_[p]; });
    }
    struct Fit {
      double counted = 0, expected = 0;
      double factor() const { return expected > 0 ? std::clamp(counted / expected, 0.01, 100.0) : 1; }
    };
    const auto prior = [&](const ZoneAxis& axis) {
      std::vector<Fit> fits;
      for (std::size_t zone = 0; zone < axis.zones; ++zone) {
        const double precision = std::min(1e6, axis.mass[zone] * axis.mass[zone] / axis.variance[zone]);
        fits.push_back({precision, precision});
      }
      return fits;
    };
    const std::vector<Fit> of_rows = prior(model_.axes[0]), of_columns = prior(model_.axes[1]);
    std::vector<Fit> rows = of_rows, columns = of_columns;
    std::vector<double> row_factor(rows_, 1.0), column_factor(columns_, 1.0);
    const auto scaled = [&](std::size_t leaf) {
      const std::size_t block = block_of(leaf);
      return block_sums[block] > 0 ? pair_base_[pair(leaf)] * sums_[block] / block_sums[block] : 0;
    };
    const auto term = [&](std::size_t leaf, double b) {
      const double w = b / (noise_ + b + kDeparture * b * b);
      return Fit{w * static_cast<double>(joint_.count[first_ + leaf]), w * b};
    };
    for (int turn = 0; turn < 3; ++turn) {
      rows = of_rows;
      for (std::size_t leaf = 0; leaf < n_; ++leaf) {
        if (!single(leaf)) continue;
        const Fit t = term(leaf, scaled(leaf) * column_factor[side(leaf, 1).lo]);
        rows[side(leaf, 0).lo].counted += t.counted;
        rows[side(leaf, 0).lo].expected += t.expected;
      }
      for (std::size_t i = 0; i < rows_; ++i) row_factor[i] = rows[i].factor();
      if (turn == 2) break;
      columns = of_columns;
      for (std::size_t leaf = 0; leaf < n_; ++leaf) {
        if (!single(leaf)) continue;
        const Fit t = term(leaf, scaled(leaf) * row_factor[side(leaf, 0).lo]);
        columns[side(leaf, 1).lo].counted += t.counted;
        columns[side(leaf, 1).lo].expected += t.expected;
      }
      for (std::size_t j = 0; j < columns_; ++j) column_factor[j] = columns[j].factor();
    }
    // A regression's own variance, relative to what it finds: 1/(P + sum w b).
    const double told = 1 - kLessOfEven * model_.evenness;
    const auto doubt = [&](const std::vector<Fit>& fits) {
      std::vector<double> relative;
      for (const Fit& fit : fits) relative.push_back(told * (fit.expected > 0 ? std::min(1.0, 1 / fit.expected) : 1));
      return relative;
    };
    model_.axes[0].doubt = doubt(rows);
    model_.axes[1].doubt = doubt(columns);
    const auto without = [](Fit all, const Fit& own) {
      return Fit{all.counted - own.counted, all.expected - own.expected}.factor();
    };
    for_leaves([&](std::size_t leaf) {
      if (single(leaf)) {
        const std::size_t i = side(leaf, 0).lo, j = side(leaf, 1).lo;
        const double b = scaled(leaf);
        const double row = without(rows[i], term(leaf, b * column_factor[j]));
        const double column = without(columns[j], term(leaf, b * row_factor[i]));
        pair_base_[pair(leaf)] = static_cast<float>(pair_base_[pair(leaf)] * row * column);
      } else {
        for_pairs(leaf, [&](std::size_t p) {
          pair_base_[p] = static_cast<float>(pair_base_[p] * row_factor[p / columns_] * column_factor[p % columns_]);
        });
      }
    });
  }

  // How far the way back is to be trusted, in quarters: the power with the least error against the counts of single
  // pairs, none of which weighs more than four standard deviations.
  int best_power() const {
    std::vector<double> block_sums(blocks_, 0.0);
    for (std::size_t leaf = 0; leaf < n_; ++leaf) {
      for_pairs(leaf, [&](std::size_t p) { block_sums[block_of(leaf)] += product(p); });
    }
    std::array<double, 5> error{};
    for (std::size_t leaf = 0; leaf < n_; ++leaf) {
      if (!single(leaf)) continue;
      const std::size_t p = pair(leaf), block = block_of(leaf);
      double expected = block_sums[block] > 0 ? product(p) * sums_[block] / block_sums[block] : 0;
      for (double& each : error) {
        const double off = static_cast<double>(joint_.count[first_ + leaf]) - expected;
        each += std::min(16.0, off * off / (noise_ + expected));
        expected *= pair_belief_[p];
      }
    }
    return static_cast<int>(std::min_element(error.begin(), error.end()) - error.begin());
  }

  double raw_base(std::size_t leaf) const {
    if (pairwise_) {
      double sum = 0;
      for_pairs(leaf, [&](std::size_t p) { sum += pair_base_[p]; });
      return sum;
    }
    double product = 1;
    for (std::size_t a = 0; a < model_.axes.size(); ++a) {
      product *= (mass_up_to_[a][side(leaf, a).hi] - mass_up_to_[a][side(leaf, a).lo]) / mass_up_to_[a].back();
    }
    return product;
  }

  // Scales the bases to what their blocks hold. Once leaves have beliefs, a block's sum holds the leaf's own count,
  // which its base must not know: its belief is taken out and its old base put in. What is left may be nothing or less;
  // a base of nothing could not be moved any more, whatever its leaf was counted to hold.
  void set_bases(bool leave_out) {
    std::vector<float> raw(n_);
    for_leaves([&](std::size_t leaf) { raw[leaf] = static_cast<float>(raw_base(leaf)); });
    std::vector<double> block_sums(blocks_, 0.0);
    for (std::size_t leaf = 0; leaf < n_; ++leaf) block_sums[block_of(leaf)] += raw[leaf];
    for_leaves([&](std::size_t leaf) {
      const std::size_t block = block_of(leaf);
      double rest = sums_[block];
      if (leave_out) rest += base_[leaf] - believed_.mean[leaf];
      rest = std::max(rest, kLeastSum / rate_);
      const double scale = block_sums[block] > 0 ? rest / block_sums[block] : 0;
      base_[leaf] = static_cast<float>(raw[leaf] * scale);
      if (pairwise_) for_pairs(leaf, [&](std::size_t p) { pair_base_[p] = static_cast<float>(pair_base_[p] * scale); });
    });
  }

  // What a block was counted to hold: its own count, or the number of trips where there is one block.
  KnownValue counted(std::size_t block) const {
    if (model_.blocks.counts.empty()) return {model_.total, noise_variance(model_.total_rate)};
    return {static_cast<double>(model_.blocks.counts[block]), noise_variance(model_.blocks.rate)};
  }

  void set_block_sums() {
    std::vector<KnownValue> leaves(blocks_);
    for (std::size_t leaf = 0; leaf < n_; ++leaf) {
      leaves[block_of(leaf)].value += believed_.mean[leaf];
      leaves[block_of(leaf)].variance += believed_.variance[leaf];
    }
    for (std::size_t block = 0; block < blocks_; ++block)
      sums_[block] = std::max(0.0, join(leaves[block], counted(block)).value);
  }

  // Beliefs of leaves over their pairs, and the factors of distance anew.
  void spread_beliefs() {
    for_leaves([&](std::size_t leaf) {
      const double scale = base_[leaf] > 0 ? believed_.mean[leaf] / base_[leaf] : 0;
      for_pairs(leaf, [&](std::size_t p) { pair_belief_[p] = static_cast<float>(pair_base_[p] * scale); });
    });
    std::vector<double> counted(factors_.size(), 0.0), expected(factors_.size(), 0.0);
    for (std::size_t leaf = 0; leaf < n_; ++leaf) {
      if (!single(leaf)) continue;
      const std::size_t p = pair(leaf);
      pair_belief_[p] = believed_.mean[leaf];
      counted[distance_[p]] += static_cast<double>(joint_.count[first_ + leaf]);
      expected[distance_[p]] += base_[leaf];
    }
    const double prior = kFactorPrior / rate_;
    for (std::size_t c = 0; c < factors_.size(); ++c)
      factors_[c] *= (std::max(0.0, counted[c]) + prior) / (expected[c] + prior);
  }

  struct Constraints {
    std::vector<SumConstraint> leaves, rows, columns, coarse, blocks;
    std::vector<SumConstraint> all;  // of the whole table: one, or none
  };

  // Turns of all constraints on pairs e of variances v.
  void sweep(const std::vector<std::size_t>& larger, const std::vector<float>& v, Constraints& of) {
    std::vector<float>& e = pair_belief_;
    const auto range = [&](Interval rows, Interval columns, SumConstraint& constraint) {
      double sum = 0, variance = 0;
      for (std::size_t i = rows.lo; i < rows.hi; ++i) {
        for (std::size_t p = i * columns_ + columns.lo; p < i * columns_ + columns.hi; ++p) {
          sum += e[p];
          variance += v[p];
        }
      }
      const double by = constraint.step(sum, variance);
      for (std::size_t i = rows.lo; i < rows.hi; ++i) {
        for (std::size_t p = i * columns_ + columns.lo; p < i * columns_ + columns.hi; ++p)
          e[p] = std::max(0.0F, e[p] + static_cast<float>(by * v[p]));
      }
    };
    const Interval all_columns{0, static_cast<std::uint32_t>(columns_)};
    std::vector<double> sums(columns_), variances(columns_);
    for (int turn = 0; turn < kSweeps; ++turn) {
      for (SumConstraint& all : of.all) range({0, static_cast<std::uint32_t>(rows_)}, all_columns, all);
      for (std::size_t area = 0; area < of.coarse.size(); ++area) {
        const auto [rows, columns] = coarse_ranges(area);
        range(rows, columns, of.coarse[area]);
      }
      in_parallel(of.blocks.size(), [&](std::size_t block) {
        const std::vector<Interval> ranges = model_.block_ranges(block);
        range(ranges[0], ranges[1], of.blocks[block]);
      });
      in_parallel(of.rows.size(), [&](std::size_t i) {
        range({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + 1)}, all_columns, of.rows[i]);
      });
      if (!of.columns.empty()) {
        std::fill(sums.begin(), sums.end(), 0.0);
        std::fill(variances.begin(), variances.end(), 0.0);
        for (std::size_t p = 0, j = 0; p < e.size(); ++p, j = j + 1 == columns_ ? 0 : j + 1) {
          sums[j] += e[p];
          variances[j] += v[p];
        }
        for (std::size_t j = 0; j < columns_; ++j) sums[j] = of.columns[j].step(sums[j], variances[j]);
        for (std::size_t p = 0, j = 0; p < e.size(); ++p, j = j + 1 == columns_ ? 0 : j + 1)
          e[p] = std::max(0.0F, e[p] + static_cast<float>(sums[j] * v[p]));
      }
      in_parallel(larger.size(), [&](std::size_t i) { range(side(larger[i], 0), side(larger[i], 1), of.leaves[i]); });
    }
  }

  // The zones of a combination of coarse nodes.
  std::pair<Interval, Interval> coarse_ranges(std::size_t area) const {
    const std::vector<std::uint32_t>&rows = model_.coarse_edges[0], &columns = model_.coarse_edges[1];
    const std::size_t i = area / (columns.size() - 1), j = area % (columns.size() - 1);
    return {{rows[i], rows[i + 1]}, {columns[j], columns[j + 1]}};
  }

  // Makes constraints of the sums that pairs now have.
  void hold_sums(const std::vector<std::size_t>& larger, Constraints& of) const {
    const std::vector<float>& e = pair_belief_;
    for (auto* constraints : {&of.leaves, &of.rows, &of.columns, &of.coarse, &of.blocks, &of.all}) {
      for (SumConstraint& each : *constraints) each = {{0, 0}, constraints == &of.all ? kFirmness : kLooseness};
    }
    for (std::size_t i = 0; i < larger.size(); ++i)
      for_pairs(larger[i], [&](std::size_t p) { of.leaves[i].counted.value += e[p]; });
    for (std::size_t p = 0; p < e.size(); ++p) {
      if (!of.rows.empty()) of.rows[p / columns_].counted.value += e[p];
      if (!of.columns.empty()) of.columns[p % columns_].counted.value += e[p];
      if (!of.all.empty()) of.all[0].counted.value += e[p];
    }
    for (std::size_t area = 0; area < of.coarse.size(); ++area) {
      const auto [rows, columns] = coarse_ranges(area);
      for (std::size_t i = rows.lo; i < rows.hi; ++i) {
        for (std::size_t j = columns.lo; j < columns.hi; ++j) of.coarse[area].counted.value += e[i * columns_ + j];
      }
    }
    for (std::size_t leaf = 0; leaf < n_ && !of.blocks.empty(); ++leaf)
      for_pairs(leaf, [&](std::size_t p) { of.blocks[block_of(leaf)].counted.value += e[p]; });
  }

  // Moves every block to what its count, its leaves' beliefs and their counts as they are say of its sum (LeafSum).
  // Gives what is then left to be said of blocks' sums to someone who takes beliefs to err one by one.
  std::vector<SumConstraint> move_blocks() {
    std::vector<LeafSum> sums(blocks_);
    std::vector<double> apart(blocks_, 0.0);
    for (std::size_t leaf = 0; leaf < n_; ++leaf) {
      sums[block_of(leaf)].add(believed_.mean[leaf], believed_.variance[leaf],
                               static_cast<double>(joint_.count[first_ + leaf]), noise_);
      apart[block_of(leaf)] += variance_in_sums(leaf);
    }
    std::vector<double> by(blocks_);  // per unit of a leaf's variance
    std::vector<SumConstraint> left;
    for (std::size_t block = 0; block < blocks_; ++block) {
      const KnownValue known = join(sums[block].value(), counted(block));
      by[block] = (known.value - sums[block].mean()) / sums[block].variance_of_beliefs();
      const double rest = 1 / known.variance - 1 / apart[block];
      left.push_back({{known.value, rest > 0 ? 1 / rest : std::numeric_limits<double>::infinity()}});
    }
    for_leaves([&](std::size_t leaf) {
      const double mean = believed_.mean[leaf], variance = believed_.variance[leaf];
      const double moved = mean + by[block_of(leaf)] * sums[block_of(leaf)].belief_variance(mean, variance, noise_);
      const auto factor = static_cast<float>(mean > 0 ? std::max(0.0, moved) / mean : 0);
      for_pairs(leaf, [&](std::size_t p) { pair_belief_[p] *= factor; });
    });
    return left;
  }

  // Twice. First posterior means, which sums can be trusted of, with all that was counted of blocks, rows and columns.
  // Then quantiles, which are better pair by pair, are moved to the sums that came out.
  void reconcile_pairs() {
    std::vector<float>& e = pair_belief_;
    std::vector<float>& v = pair_base_;
    std::vector<std::size_t> larger;
    Constraints of;
    of.blocks = move_blocks();
    for (std::size_t leaf = 0; leaf < n_; ++leaf) {
      if (single(leaf)) {
        v[pair(leaf)] = static_cast<float>(variance_in_sums(leaf));
        continue;
      }
      larger.push_back(leaf);
      double sum = 0;
      for_pairs(leaf, [&](std::size_t p) {
        sum += e[p];
        v[p] = e[p] + 0.25F * e[p] * e[p] + 1e-12F;
      });
      of.leaves.push_back({{sum, variance_in_sums(leaf)}});
    }
    of.coarse = constraints_of(model_.coarse.counts, model_.coarse.rate);
    of.rows = constraints_of(model_.axes[0].counts, model_.margin_rate);
    of.columns = constraints_of(model_.axes[1].counts, model_.margin_rate);
    if (std::isfinite(model_.trips.variance)) of.all.push_back({all_trips()});
    sweep(larger, v, of);
    hold_sums(larger, of);
    for (std::size_t leaf = 0; leaf < n_; ++leaf) {
      if (!single(leaf)) continue;
      e[pair(leaf)] = believed_.quantile[leaf];
      // Beyond two scales a quantile and a mean are the same, and nothing is to be moved.
      const double in_scales = believed_.mean[leaf] * rate_ / 2;
      v[pair(leaf)] /= static_cast<float>(1 + in_scales * in_scales * in_scales * in_scales);
    }
    sweep(larger, v, of);
    for_leaves([&](std::size_t leaf) {
      double sum = 0;
      for_pairs(leaf, [&](std::size_t p) { sum += e[p]; });
      joint_.estimate[first_ + leaf] = sum;
    });
    for (ZoneAxis& axis : model_.axes) std::fill(axis.mass.begin(), axis.mass.end(), 0.0);
    for (std::size_t p = 0; p < e.size(); ++p) {
      model_.axes[0].mass[p / columns_] += e[p];
      model_.axes[1].mass[p % columns_] += e[p];
    }
  }

  // One axis, or three and more: there are no pairs to move.
  void reconcile_leaves() {
    TupleSums of;
    std::vector<LeafSum> sums(blocks_);
    for (std::size_t leaf = 0; leaf < n_; ++leaf) {
      of.block_of.push_back(block_of(leaf));
      of.leaves.emplace_back().add(believed_.mean[leaf], believed_.variance[leaf],
                                   static_cast<double>(joint_.count[first_ + leaf]), noise_);
      sums[block_of(leaf)].add_share(of.leaves[leaf], 1);
      joint_.estimate[first_ + leaf] = believed_.mean[leaf];
    }
    for (std::size_t leaf = 0; leaf < n_; ++leaf)
      of.variance.push_back(static_cast<float>(
          sums[block_of(leaf)].belief_variance(believed_.mean[leaf], believed_.variance[leaf], noise_)));
    for (std::size_t block = 0; block < blocks_; ++block)
      of.blocks.push_back({join(sums[block].value(), counted(block))});
    of.all = {all_trips()};
    reconcile_tuples(model_, joint_, first_, std::move(of));
    if (model_.axes.size() != 1) return;
    for (std::size_t leaf = 0; leaf < n_; ++leaf) {
      const Interval zones = side(leaf, 0);
      for (std::size_t zone = zones.lo; zone < zones.hi; ++zone)
        model_.axes[0].mass[zone] = joint_.estimate[first_ + leaf] / zones.width();
    }
  }

  // Rows above the leaves hold what is below them.
  void sum_up() {
    for (std::size_t row = 0; row < first_; ++row) joint_.estimate[row] = 0;
    for (std::size_t row = joint_.rows(); row-- > 1;)
      joint_.estimate[static_cast<std::size_t>(joint_.parent[row])] += joint_.estimate[row];
  }

  // Beliefs that lean on their bases err together, so their sums err by more than their variances say: by a factor of
  // up to 1 + kTogether, by how little a leaf's own count decides. Weighed so, counts of rows, columns and blocks are
  // heeded as much as they deserve.
  double variance_in_sums(std::size_t leaf) const {
    const double variance = believed_.variance[leaf];
    return variance * (1 + kTogether * std::max(0.0, 1 - variance / noise_));
  }

  // How many trips there are, from all tables. Sums of beliefs over the whole table are off by far more than their
  // variances say (a bias of a hundredth of a trip per pair is a thousand trips), so this is told to be surer than it
  // is.
  KnownValue all_trips() const {
    KnownValue leaves{0, noise_ * static_cast<double>(n_)};
    for (std::size_t leaf = 0; leaf < n_; ++leaf) leaves.value += static_cast<double>(joint_.count[first_ + leaf]);
    const KnownValue all = join(model_.trips, leaves);
    return {std::max(0.0, all.value), kFirm * all.variance};
  }

  void set_spread() {
    joint_.spread.assign(joint_.rows(), 0.0F);
    for_leaves([&](std::size_t leaf) { joint_.spread[first_ + leaf] = rounded(std::sqrt(believed_.variance[leaf])); });
  }
  // To eight binary digits: nobody needs more of a standard deviation, and files are smaller.
  static float rounded(float x) {
    int exponent = 0;
    const float digits = std::frexp(x, &exponent);
    return std::ldexp(std::round(digits * 256), exponent - 8);
  }

  ZoneModel& model_;
  Table& joint_;
  std::size_t first_, n_, blocks_;
  double rate_, noise_;
  const Domain& domain_;
  std::size_t rows_ = 0, columns_ = 0;
  bool pairwise_ = false;  // two axes whose pairs are kept one by one
  bool square_ = false;    // ... and both have the same zones
  std::vector<float> base_;
  Beliefs believed_;
  std::vector<double> sums_;                     // of blocks, as believed
  std::vector<std::vector<double>> mass_up_to_;  // unless pairwise: per axis
  std::vector<float> pair_base_, pair_belief_;   // per pair
  std::vector<std::uint8_t> distance_;           // per pair: which factor
  std::vector<double> factors_;
};

}  // namespace

void estimate_leaves(ZoneModel& model, Table& joint, std::size_t first_leaf, double rate, const Domain& domain) {
  Leaves(model, joint, first_leaf, rate, domain).run();
}

}  // namespace stopover
