#include "mechanism/multigrid_estimate.h"

#include <algorithm>
#include <cmath>

#include "mechanism/families.h"
#include "release/consistency.h"

namespace stopover {
namespace {

// Sums over parts: those of several families can be added before the quotient is taken.
struct Departure {
  double misfit = 0;  // squared distance of counts from what was expected, beyond noise and sampling
  double base = 0;    // squared expectation
};

// The parent's total by inverse variance of what was thought and the sum of the parts.
double joined_total(const LevelFamily& family) {
  double sum = 0;
  for (double count : family.counts) sum += count;
  // (n V + s v)/(v + V) of n with variance v and the sum s with variance V = parts times noise; at least 1, as it is
  // divided by.
  const double sum_variance = family.noise * static_cast<double>(family.counts.size());
  return std::max(1.0, (family.n * sum_variance + sum * family.variance) / (sum_variance + family.variance));
}

// Shares of `weights`, or even ones where there is no weight.
std::vector<double> scaled(const std::vector<double>& weights, double total) {
  double sum = 0;
  for (double weight : weights) sum += weight;
  std::vector<double> result;
  for (double weight : weights)
    result.push_back(sum > 0 ? total * weight / sum : total / static_cast<double>(weights.size()));
  return result;
}

Departure departure(const LevelFamily& family, const std::vector<double>& expected) {
  // misfit may be negative, where counts are nearer to what was expected than noise would have them. It is left so:
  // only then do sums over families stay unbiased.
  Departure result;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double gap = family.counts[i] - expected[i];
    // E gap^2 = noise + expected (chance) + kappa expected^2, so that sum misfit/sum base is an estimate of kappa by
    // moments.
    result.misfit += gap * gap - family.noise - expected[i];
    result.base += expected[i] * expected[i];
  }
  return result;
}

}  // namespace

std::vector<std::vector<NextBelief>> believe(const std::vector<LevelFamily>& families, double& level_kappa) {
  std::vector<Departure> departures;
  Departure level;
  for (const LevelFamily& family : families) {
    // Expectations scaled to the joined total, so that only the division is judged and not the number of trips.
    departures.push_back(departure(family, scaled(family.expected, joined_total(family))));
    level.misfit += departures.back().misfit;
    level.base += departures.back().base;
  }
  // A ratio of sums, not a mean of ratios: families of few trips have a base near 0.
  const double kappa = level.base > 0 ? std::max(0.0, level.misfit / level.base) : 0;
  // Kappa falls from level to level, as boxes become even inside. The next level is expected to fall by the same factor
  // again.
  // Not above 1, and not below a tenth: one level's ratio is unsure.
  const double trend = level_kappa > 0 ? std::clamp(kappa / level_kappa, 0.1, 1.0) : 1.0;
  level_kappa = kappa;

  std::vector<std::vector<NextBelief>> beliefs;
  for (std::size_t f = 0; f < families.size(); ++f) {
    const LevelFamily& family = families[f];
    // A family's own kappa, drawn towards the level's. `prior` is in units of base, squared counts: a family whose
    // expectations are at the noise (base = parts times noise) tells a fifth, one far above it nearly all.
    const double prior = 4 * static_cast<double>(family.counts.size()) * family.noise;
    // The family's misfit plus `prior` at the level's kappa: a mean of both kappas, weighted by base and prior.
    const double own = trend * std::max(0.0, (departures[f].misfit + prior * kappa) / (departures[f].base + prior));
    const std::vector<double> even = scaled(family.areas, joined_total(family));
    const Departure from_even = departure(family, even);
    // The same against an even division: how far parts may be off it, for the shrinkage below.
    const double uneven = from_even.base > 0 ? std::max(0.0, from_even.misfit / from_even.base) : 0;
    std::vector<NextBelief> parts;
    for (std::size_t i = 0; i < even.size(); ++i) {
      // Linear Bayes: prior variance t about the even share, noise about the count. 0.35 standard deviations less, as
      // of many parts those are looked at that seem to be large (found by trials).
      // Variance of the truth about the even share: unevenness, and chance (Poisson).
      const double t = uneven * even[i] * even[i] + even[i];
      const double pull = t / (t + family.noise);
      const double n = even[i] + pull * (family.counts[i] - even[i]) - 0.35 * std::sqrt(family.noise);
      // The variance of the linear Bayes estimate, t noise/(t + noise).
      parts.push_back({std::max(0.0, n), pull * family.noise, own});
    }
    beliefs.push_back(std::move(parts));
  }
  return beliefs;
}

namespace {

// The share of a depth's small values that are negative says how much of it is noise: half if all is.
std::vector<double> thresholds(const Table& table, const std::vector<double>& z, const std::vector<double>& w) {
  std::vector<double> negative, small;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::size_t depth = table.depth[row];
    if (negative.size() <= depth) {
      negative.resize(depth + 1, 1.0);
      small.resize(depth + 1, 2.0);
    }
    // Of noise about 0, half of what lies within one deviation is negative; of true counts well above it, hardly any.
    // One negative of two small ones is added to every depth, so that few rows decide nothing.
    // In deviations of what the row and all below it say together.
    const double score = z[row] / std::sqrt(w[row]);
    if (score > -1 && score < 0) ++negative[depth];
    if (score > -1 && score < 1) ++small[depth];
  }
  std::vector<double> result;
  for (std::size_t depth = 0; depth < negative.size(); ++depth) {
    // From no threshold at a share of 0.15 to 1.75 deviations at one half.
    // A straight line between the two: (share - 0.15)/0.35, cut off at both ends.
    result.push_back(1.75 * std::clamp((negative[depth] / small[depth] - 0.15) / 0.35, 0.0, 1.0));
  }
  return result;
}

// Projection from the roots down; with thresholds, marks what falls below them as zero.
void go_down(Table& table, const Families& families, const std::vector<double>& z, const std::vector<double>& w,
             const std::vector<double>* limits, std::vector<bool>& zero) {
  table.estimate.assign(table.rows(), 0.0);
  table.estimate[0] = std::max(0.0, z[0]);
  for (const auto& parents : families.of_depth) {
    for (std::size_t parent : parents) {
      const auto [first, last] = families.children[parent];
      std::vector<double> x(z.begin() + static_cast<std::ptrdiff_t>(first),
                            z.begin() + static_cast<std::ptrdiff_t>(last));
      const std::vector<double> v(w.begin() + static_cast<std::ptrdiff_t>(first),
                                  w.begin() + static_cast<std::ptrdiff_t>(last));
      std::vector<bool> pinned(x.size());
      // What an earlier pass marked as zero stays zero.
      for (std::size_t i = 0; i < x.size(); ++i) pinned[i] = zero[first + i];
      // All marked: then none is, as the parent's trips must go somewhere. (A parent of 0 gives zeros anyhow.)
      if (std::all_of(pinned.begin(), pinned.end(), [](bool p) { return p; })) pinned.assign(x.size(), false);
      // The nearest values that are not negative, zero where pinned, and sum to the parent's (weighted by
      // 1/variance).
      project_family(x, v, pinned, table.estimate[parent]);
      if (limits) {
        double kept = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          // What passes keeps its proportions and takes over the rest; where nothing passes, the family is left as it
          // is.
          if (x[i] >= (*limits)[table.depth[first + i]] * std::sqrt(v[i])) kept += x[i];
        }
        // Scaled by the parent's value over what is kept, so that the family still sums to it.
        for (std::size_t i = 0; kept > 0 && i < x.size(); ++i) {
          const bool below = x[i] < (*limits)[table.depth[first + i]] * std::sqrt(v[i]);
          zero[first + i] = zero[first + i] || below;
          x[i] = below ? 0 : x[i] * (table.estimate[parent] / kept);
        }
      }
      for (std::size_t i = 0; i < x.size(); ++i) table.estimate[first + i] = x[i];
    }
  }
}

}  // namespace

void finish_multigrid(Table& table, double ticks_to_rate) {
  std::vector<double> z, w;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    // 1e300 instead of infinity: it weighs nothing, and infinity times 0 would not be a number.
    const bool measured = table.row_ticks[row] > 0;
    z.push_back(static_cast<double>(table.count[row]));
    w.push_back(measured ? noise_variance(static_cast<double>(table.row_ticks[row]) * ticks_to_rate) : 1e300);
  }
  finish_multigrid(table, std::move(z), std::move(w));
}

void finish_multigrid(Table& table, std::vector<double> z, std::vector<double> w) {
  const Families families = families_of(table);
  std::vector<bool> zero(table.rows(), false);
  join_upwards(families, z, w);
  const std::vector<double> limits = thresholds(table, z, w);
  // The first pass finds what is zero: it needs values that are not negative and add up.
  go_down(table, families, z, w, &limits, zero);
  // What lies in a box that became zero is zero: parents stand before their children, so marks travel down in one loop.
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.parent[row] >= 0 && zero[static_cast<std::size_t>(table.parent[row])]) zero[row] = true;
  }
  // The values going down are still those of all counts: summing only what passed the threshold would favour luck.
  go_down(table, families, z, w, nullptr, zero);
}

}  // namespace stopover
