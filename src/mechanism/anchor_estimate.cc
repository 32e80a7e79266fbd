#include "mechanism/anchor_estimate.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "mechanism/families.h"
#include "release/consistency.h"

namespace stopover {
namespace {

constexpr double kFits = 0.05;       // kappa up to which the base stands
constexpr double kFamilyPrior = 30;  // how many children weigh as much as the whole level's kappa

// The variance of a count that is left out: join_upwards() makes its row the sum of its children. Below the 1e300 of
// rows that were not measured, as sums of counts chosen by an adversary times that would not be finite.
constexpr double kLeftOut = 1e200;

// Below so many standard deviations a child becomes zero, in families that refute the base. With two maps, what the
// base expects (`expected`, in standard deviations) still has a say: where it expects nothing, more is asked for. With
// borders a leaf is asked for as a part of the areas that it lies in, among many others: less is asked for.
double zero_below(std::size_t maps, bool bordered, double expected) {
  if (maps != 2) return 1.75;
  // Up to one deviation expected all of it, then falling by half for every further one, to 0.3 of it from 2.4 on.
  return (bordered ? 1.75 : 2.75) * std::clamp(1.5 - 0.5 * expected, 0.3, 1.0);
}

// A followed family of `total` trips: children that stand out of their share of the rest keep their own counts, the
// others are drawn to it. Counts z of variance w, shares under the base.
std::vector<double> divide_followed(std::span<const double> z, std::span<const double> w,
                                    const std::vector<double>& shares, double total) {
  const std::size_t n = z.size();
  // Of n Laplace variables of scale b the largest is about b ln n; 2 b more is seldom met. b = sd/sqrt 2.
  const double reach = std::log(static_cast<double>(n)) + 2;
  std::vector<bool> kept(n, false);
  double rest = total, rest_share = 1;
  // Each pass, what is left for the base to divide gets less, so that others may stand out of it.
  for (int pass = 0; pass < 3; ++pass) {
    const double each = rest_share > 0 ? rest / rest_share : 0;
    for (std::size_t i = 0; i < n; ++i) {
      kept[i] = kept[i] || std::abs(z[i] - shares[i] * each) > reach * std::sqrt(w[i] / 2);
    }
    rest = total;
    rest_share = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (kept[i]) {
        rest -= std::max(0.0, z[i]);
      } else {
        rest_share += shares[i];
      }
    }
    rest = std::max(0.0, rest);
  }
  const double each = rest_share > 0 ? rest / rest_share : 0;
  // How far the others depart from the base beyond their noise, as for a level.
  double misfit = 0, base = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (kept[i]) continue;
    const double e = shares[i] * each;
    misfit += (z[i] - e) * (z[i] - e) - w[i] - e;
    base += e * e;
  }
  const double kappa = base > 0 ? std::max(0.0, misfit / base) : 0;
  std::vector<double> x(z.begin(), z.end()), v(w.begin(), w.end());
  for (std::size_t i = 0; i < n; ++i) {
    if (kept[i]) continue;
    const double e = shares[i] * each;
    const double t = kappa * e * e + e;
    const double pull = t / (t + v[i]);
    x[i] = e + pull * (x[i] - e);
    v[i] = std::max(1e-12, pull * v[i]);
  }
  project_family(x, v, std::vector<bool>(n, false), total);
  return x;
}

}  // namespace

std::vector<Provisional> provisional(double n, double variance, const std::vector<std::int64_t>& counts, double noise,
                                     const std::vector<double>& shares) {
  double sum = 0;
  for (std::int64_t count : counts) sum += static_cast<double>(count);
  const double sum_variance = noise * static_cast<double>(counts.size());
  // The total by inverse variance of two independent estimates: what was believed of the parent, and the sum of its
  // children.
  // At least one trip, so that expectations and their squares are above 0.
  const double z = std::max(1.0, (n * sum_variance + sum * variance) / (sum_variance + variance));
  double misfit = 0, base = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double x = shares[i] * z;
    const double gap = static_cast<double>(counts[i]) - x;
    // If the base were right, a count would be off its expectation x by noise and by chance, whose variance is x
    // (Poisson). What is left on average is kappa x^2: a child's share is wrong by a factor of that variance. Solved
    // for kappa by moments, all children together; nearly unbiased before it is cut off at 0.
    misfit += gap * gap - noise - x;
    base += x * x;
  }
  const double kappa = base > 0 ? std::max(0.0, misfit / base) : 0;
  std::vector<Provisional> result;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double x = shares[i] * z;
    // A priori the child holds x with variance t, and it was counted with variance `noise`: the linear Bayes estimate
    // moves from x towards the count by t/(t + noise), and has the variance t noise/(t + noise). The best linear one
    // for any laws of these variances.
    const double t = kappa * x * x + x;
    const double pull = t / (t + noise);
    // Not negative, as what follows asks how many trips to divide. This lifts the mean of small ones a little; the
    // final estimate does not use it.
    result.push_back({std::max(0.0, x + pull * (static_cast<double>(counts[i]) - x)), pull * noise});
  }
  return result;
}

void estimate_over_base(Table& table, const BaseRows& base_rows, double ticks_to_rate, std::size_t maps) {
  const std::vector<double>& mu = base_rows.mu;
  const std::size_t rows = table.rows();
  const Families families = families_of(table);
  std::vector<double> z(rows), w(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    z[row] = static_cast<double>(table.count[row]);
    // The exact variance of discrete Laplace noise at the rate that the row was bought with.
    w[row] = noise_variance(static_cast<double>(table.row_ticks[row]) * ticks_to_rate);
    if (maps > 2 && base_rows.followed[row] && !base_rows.followed[static_cast<std::size_t>(table.parent[row])])
      w[row] = kLeftOut;
  }
  // Upwards: own count and children's sum joined by inverse variance, as in release/consistency.cc.
  join_upwards(families, z, w);
  table.estimate.assign(rows, 0.0);
  // The root is the only value that is cut off at 0 by itself. All others are projected, which keeps sums.
  table.estimate[0] = std::max(0.0, z[0]);

  for (const std::vector<std::size_t>& parents : families.of_depth) {
    // rho of the header. A box in which the base has no mass divides evenly.
    const auto share = [&](std::size_t parent, std::size_t child) {
      const auto [first, last] = families.children[parent];
      return mu[parent] > 0 ? mu[child] / mu[parent] : 1.0 / static_cast<double>(last - first);
    };
    // (misfit, base) of a family.
    const auto departure = [&](std::size_t parent) {
      double misfit = 0, base = 0;
      const auto [first, last] = families.children[parent];
      for (std::size_t child = first; child < last; ++child) {
        // Parents of this depth are final here: their own families were done at the depth before.
        const double e = share(parent, child) * table.estimate[parent];
        // As in provisional(): E (z - e)^2 = w + e + kappa e^2, with e as the base divides what the parent got.
        misfit += (z[child] - e) * (z[child] - e) - w[child] - e;
        base += e * e;
      }
      return std::pair(misfit, base);
    };
    double level_misfit = 0, level_base = 0;
    for (std::size_t parent : parents) {
      // A single child has all of its parent: it says nothing about the base.
      if (families.children[parent].second - families.children[parent].first < 2) continue;
      // Followed boxes were chosen because the base is wrong there: they say nothing about the others.
      if (base_rows.followed[parent]) continue;
      const auto [misfit, base] = departure(parent);
      level_misfit += misfit;
      level_base += base;
    }
    // One kappa for a whole level is sure, one for a family is its own: each is taken with the weight of its number of
    // children, the level's as kFamilyPrior of them (empirical Bayes; the constant was found by trials).
    // Sums before the quotient: families with large expectations, which tell more, weigh more.
    const double level_kappa = level_base > 0 ? std::max(0.0, level_misfit / level_base) : 0;
    for (std::size_t parent : parents) {
      const auto [first, last] = families.children[parent];
      const double b = static_cast<double>(last - first);
      if (base_rows.followed[parent]) {
        std::vector<double> shares;
        for (std::size_t child = first; child < last; ++child) shares.push_back(share(parent, child));
        const std::vector<double> divided =
            divide_followed(std::span(z).subspan(first, last - first), std::span(w).subspan(first, last - first),
                            shares, table.estimate[parent]);
        std::copy(divided.begin(), divided.end(), table.estimate.begin() + static_cast<std::ptrdiff_t>(first));
        continue;
      }
      // By moments, as for the level. Of few children it is very unsure, and cut off at 0 it is biased upwards: hence
      // the shrinkage.
      const auto [misfit, base] = departure(parent);
      const double family_kappa = base > 0 ? std::max(0.0, misfit / base) : 0;
      const double kappa = (b * family_kappa + kFamilyPrior * level_kappa) / (b + kFamilyPrior);
      std::vector<double> x(z.begin() + static_cast<std::ptrdiff_t>(first),
                            z.begin() + static_cast<std::ptrdiff_t>(last));
      std::vector<double> v(w.begin() + static_cast<std::ptrdiff_t>(first),
                            w.begin() + static_cast<std::ptrdiff_t>(last));
      std::vector<bool> pinned(x.size(), false);
      if (kappa <= kFits) {
        for (std::size_t i = 0; i < x.size(); ++i) {
          // The base stands: shrunk towards it as in provisional(), with what is left of the variance.
          const double e = share(parent, first + i) * table.estimate[parent];
          // How far the truth may be from e: kappa e^2 for a wrong base, and e for chance (Poisson).
          const double t = kappa * e * e + e;
          const double pull = t / (t + v[i]);
          x[i] = e + pull * (x[i] - e);
          v[i] = std::max(1e-12, pull * v[i]);
        }
      } else {
        for (std::size_t i = 0; i < x.size(); ++i) {
          // The base is refuted: a child stands on its own count, or is zero where that cannot be told from noise. Hard
          // thresholding; the projection hands what it takes away to the children that stay.
          const double sd = std::sqrt(v[i]);
          const double expected = share(parent, first + i) * table.estimate[parent] / sd;
          pinned[i] = x[i] < zero_below(maps, base_rows.bordered, expected) * sd;
        }
        // If nothing stands out, nothing is zeroed: the parent's trips must go somewhere.
        if (std::all_of(pinned.begin(), pinned.end(), [](bool p) { return p; })) pinned.assign(x.size(), false);
      }
      // Afterwards children are not negative and sum to their parent. The gap is shared by v, so surer children move
      // less.
      project_family(x, v, pinned, table.estimate[parent]);
      for (std::size_t i = 0; i < x.size(); ++i) table.estimate[first + i] = x[i];
    }
  }
}

}  // namespace stopover
