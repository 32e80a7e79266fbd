#include "query/belief.h"

#include <algorithm>
#include <cmath>

#include "query/normal.h"
#include "release/consistency.h"

namespace stopover {
namespace {

constexpr double kUnsure = 3;    // times what a leaf's estimate has from others: so much more is what is not chance
constexpr double kShared = 4;    // what leaves have in common, over what the mechanism says of it
constexpr double kSharedOfEven = 9;
constexpr double kAnyhow = 0.25;  // d from which on nothing is even
constexpr double kLeastLeaves = 4;
constexpr double kUnsurely = 3;  // standard deviations of its noise: a leaf of less may hold nothing
// A gamma law of a smaller shape is nearly all at 0, with a reach that the cube root no longer follows.
constexpr double kLeastShape = 0.1;
constexpr double kUnknown = 1e30;  // the variance of a count that was not bought

double relative(double total, double variance) { return total > 0 ? std::min(1.0, variance / (total * total)) : 0; }

// Running sums at a real place.
double up_to(const std::vector<double>& running, double at) {
  const auto whole = std::min(static_cast<std::size_t>(at), running.size() - 2);
  return running[whole] + (at - static_cast<double>(whole)) * (running[whole + 1] - running[whole]);
}

// A gamma law of mean m and shape k: (X/m)^(1/3) is nearly normal about 1 - 1/(9k), with variance 1/(9k).
struct GammaLaw {
  double shape, mean;
  GammaLaw(double estimate, double variance) {
    const double known = std::max(variance, 1e-12);
    shape = std::max(kLeastShape, estimate * estimate / known);
    mean = std::sqrt(shape * known);
  }
  // So many standard deviations of that normal law above its middle.
  double at(double deviations) const {
    const double root = 1 - 1 / (9 * shape) + deviations / (3 * std::sqrt(shape));
    return root > 0 ? mean * root * root * root : 0;
  }
};

}  // namespace

Belief Belief::of_leaf(double estimate, double spread, double noise) {
  const double squared = spread * spread;
  const double from_others = 1 - std::min(1.0, squared / noise);
  const double unsure = kUnsure * from_others * std::max(0.0, squared - estimate);
  return {squared + unsure, from_others * estimate, squared, squared};
}

namespace {

// `counted`: what the counts of all zones of an axis err by together, for every axis that has such counts.
double common_doubt(const Release& release, const std::vector<double>& counted) {
  const Table& table = release.tables[0];
  if (table.spread.empty()) return 0;
  double leaned = 0, squares = 0, noise = 0, unsure = 0;
  const std::vector<bool> leaves = table.leaves();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!leaves[row] || table.row_ticks[row] == 0) continue;
    const double own = noise_variance(release.rate(table.row_ticks[row]));
    const double leans = Belief::of_leaf(table.estimate[row], table.spread[row], own).leaned;
    leaned += leans;
    squares += leans * leans;
    noise += own;
    if (table.estimate[row] < kUnsurely * std::sqrt(own)) unsure += table.estimate[row];
  }
  double known = noise > 0 ? 1 / noise : 0;
  for (const double variance : counted) known += variance > 0 ? 1 / variance : 0;
  const double all = leaned * leaned;
  if (known <= 0 || all <= kLeastLeaves * squares) return 0;
  return std::min(1 / known, unsure * unsure) / (all * all);
}

// Of leaves of several cells, against the product of the totals of their zones within their parent.
class Departure {
 public:
  explicit Departure(std::size_t rows) : held_(rows, 0.0), mass_(rows, 0.0), children_(rows, 0) {}

  void hold(std::size_t parent, double estimate, double mass) {
    held_[parent] += estimate;
    mass_[parent] += mass;
    ++children_[parent];
  }
  void add(std::size_t parent, double mass, double estimate, double count, double noise) {
    if (children_[parent] < 2 || !(mass_[parent] > 0)) return;
    const double base = held_[parent] * mass / mass_[parent], off = count - base, chance = noise + base;
    squares_ += off * off - chance;
    doubt_ += 2 * chance * chance;
    bases_ += base * base;
    trips_ += estimate;
  }
  // d, of a table of so many trips.
  double of(double all) const {
    if (!(bases_ > 0) || !(all > 0)) return kAnyhow;
    const double of_leaves = std::max(0.0, squares_ + 2 * std::sqrt(doubt_)) / bases_;
    const double share = std::min(1.0, trips_ / all);
    return std::min(kAnyhow, share * of_leaves + 1 - share);
  }

 private:
  std::vector<double> held_, mass_;
  std::vector<std::uint32_t> children_;
  double squares_ = 0, doubt_ = 0, bases_ = 0, trips_ = 0;
};

}  // namespace

double AxisDoubts::departure(const Table& table, const Release& release) const {
  if (table.axes.size() != 2 || table.spread.empty()) return kAnyhow;
  for (const std::size_t axis : table.axes) {
    if (lines_[axis].total.empty()) return kAnyhow;
  }
  const std::vector<bool> leaves = table.leaves();
  std::vector<double> mass(table.rows(), 0.0);
  Departure found(table.rows());
  double all = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!leaves[row]) continue;
    all += table.estimate[row];
    if (table.parent[row] < 0) return kAnyhow;
    mass[row] = 1;
    for (std::size_t a = 0; a < 2; ++a) {
      const std::vector<double>& total = lines_[table.axes[a]].total;
      mass[row] *= total[table.hi[a][row]] - total[table.lo[a][row]];
    }
    found.hold(static_cast<std::size_t>(table.parent[row]), table.estimate[row], mass[row]);
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const bool one = table.hi[0][row] - table.lo[0][row] == 1 && table.hi[1][row] - table.lo[1][row] == 1;
    if (!leaves[row] || one || table.row_ticks[row] == 0) continue;
    found.add(static_cast<std::size_t>(table.parent[row]), mass[row], table.estimate[row],
              static_cast<double>(table.count[row]), noise_variance(release.rate(table.row_ticks[row])));
  }
  return found.of(all);
}

AxisDoubts::AxisDoubts(const Release& release) : lines_(release.domain.d()) {
  for (const Table& table : release.tables) {
    if (table.axes.size() != 1 || table.spread.empty()) continue;
    const std::uint32_t cells = release.domain.axis(table.axes[0]).cells;
    Line& line = lines_[table.axes[0]];
    const bool own = &table == release.tables.data();  // the leaves' own counts are no second ones of their totals
    const bool first = line.total.empty(), counts = line.noise.empty() && !own;
    if (first) {
      line.total.assign(cells + 1, 0.0);
      line.variance.assign(cells + 1, 0.0);
    }
    if (counts) line.noise.assign(cells + 1, 0.0);
    const std::vector<bool> leaves = table.leaves();
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (!leaves[row]) continue;
      // A leaf of several cells: as if they were equal and erred apart.
      const double width = table.hi[0][row] - table.lo[0][row], spread = table.spread[row];
      const Ticks ticks = table.row_ticks[row];
      for (std::uint32_t cell = table.lo[0][row]; cell < table.hi[0][row]; ++cell) {
        if (first) line.total[cell + 1] = table.estimate[row] / width;
        if (first) line.variance[cell + 1] = spread * spread / width;
        if (counts) line.noise[cell + 1] = (ticks > 0 ? noise_variance(release.rate(ticks)) : kUnknown) / width;
      }
    }
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      if (first) line.total[cell + 1] += line.total[cell];
      if (first) line.variance[cell + 1] += line.variance[cell];
      if (counts) line.noise[cell + 1] += line.noise[cell];
    }
  }
  std::vector<double> counted;
  for (const Line& line : lines_) {
    if (!line.noise.empty()) counted.push_back(line.noise.back());
  }
  common_ = common_doubt(release, counted);
  unevenness_ = departure(release.tables[0], release) / kAnyhow;
}

double AxisDoubts::of(std::size_t axis, double lo, double hi) const {
  const Line& line = lines_[axis];
  if (line.total.empty() || !(lo < hi)) return 0;
  return relative(up_to(line.total, hi) - up_to(line.total, lo), up_to(line.variance, hi) - up_to(line.variance, lo));
}

double AxisDoubts::of(std::size_t axis, const Coverage& line) const {
  const Line& sums = lines_[axis];
  if (sums.total.empty()) return 0;
  double total = 0, variance = 0;
  for (std::uint32_t cell = line.x.lo; cell < line.x.hi; ++cell) {
    const double weight = line.weight(cell, 0);
    total += weight * (sums.total[cell + 1] - sums.total[cell]);
    variance += weight * weight * (sums.variance[cell + 1] - sums.variance[cell]);
  }
  return relative(total, variance);
}

KnownTotal AxisDoubts::known(std::size_t axis, double lo, double hi) const {
  const Line& line = lines_[axis];
  if (line.noise.empty() || !(lo < hi)) return {};
  return {up_to(line.total, hi) - up_to(line.total, lo), up_to(line.noise, hi) - up_to(line.noise, lo)};
}

double believed_variance(const Belief& belief, const SharedDoubt& doubt) {
  const double squared = belief.leaned * belief.leaned;
  const double shared = kShared + (kSharedOfEven - kShared) * (1 - doubt.unevenness);
  return belief.even + doubt.unevenness * (belief.variance - belief.even) +
         squared * (shared * doubt.totals + squared * doubt.common);
}

double within_totals(double estimate, double variance, std::span<const KnownTotal> totals) {
  double left = variance;
  for (const KnownTotal& known : totals) {
    // q B/(B + 2 q M), with q = estimate/total.
    const double err = variance * std::max(known.total, estimate) + 2 * estimate * known.noise;
    if (estimate > 0 && err > 0) left *= 1 - estimate * variance / err;
  }
  return left;
}

LikelyReach likely_reach(double level) {
  // P(|X| <= a) = 2 level - 1 where P(X <= a) = level.
  return {normal_half_width(level), level > 0.5 ? normal_half_width(2 * level - 1) : 0};
}

LikelyRange likely_range(double estimate, double variance, LikelyReach reach) {
  const GammaLaw law(estimate, variance);
  const auto rounded = [](double x) { return std::floor(x + 0.5); };
  const double lower = rounded(law.at(-reach.both));
  const double alone = rounded(law.at(reach.both));
  return {lower, lower > 0 ? alone : rounded(law.at(reach.above)), alone};
}

double likely_median(double estimate, double variance) {
  // A median lies a sixth of skewness times standard deviation below the mean: v/3m in a gamma law, 1/6 less in a
  // Poisson mixture of the same m and v. Half a step rounds.
  return std::floor(GammaLaw(estimate, variance).at(0) + 1.0 / 6 + 0.5);
}

}  // namespace stopover
