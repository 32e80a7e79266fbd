#include "mechanism/grid_estimate.h"

#include <algorithm>
#include <cmath>

#include "mechanism/families.h"
#include "mechanism/multigrid_estimate.h"
#include "release/consistency.h"

namespace stopover {
namespace {

constexpr double kLeastUnlike = 0.09;  // stops are never thought to be more alike than this
constexpr double kUnknown = 1e300;

struct Values {
  std::vector<double> z, w;  // value and variance
};

double noise_of(const GridCounts& grid, std::size_t row, double ticks_to_rate) {
  return noise_variance(static_cast<double>(grid.tree.row_ticks[row]) * ticks_to_rate);
}

// Inverse-variance values of one stop, from its own counts at and below every row. Only families that were counted
// apart as a whole add up.
// The mean over stops is estimated elsewhere; these values say how one stop departs from it.
Values of_stop(const GridCounts& grid, const Families& families, std::size_t stop, double ticks_to_rate) {
  const std::size_t rows = grid.tree.rows();
  Values own{std::vector<double>(rows, 0.0), std::vector<double>(rows, kUnknown)};
  // Children stand behind their parents. The root has no counts, and is left unknown.
  for (std::size_t row = rows; row-- > 1;) {
    if (!grid.apart[row]) continue;
    own.z[row] = static_cast<double>(grid.counts[row][stop]);
    own.w[row] = noise_of(grid, row, ticks_to_rate);
    const auto [first, last] = families.children[row];
    // Parts counted together hold no count of this stop, so nothing can be added to the row's own.
    if (first == last || !grid.apart[first]) continue;
    double sum = 0, variance = 0;
    for (std::size_t child = first; child < last; ++child) {
      sum += own.z[child];
      variance += own.w[child];
    }
    // Inverse variance: the row's own count, and the sum of its parts.
    own.z[row] = (own.z[row] * variance + sum * own.w[row]) / (variance + own.w[row]);
    // The variance of the joined value is never above either of the two.
    own.w[row] = variance * own.w[row] / (variance + own.w[row]);
  }
  return own;
}

void divide(const GridCounts& grid, const Values& own, std::size_t parent, std::pair<std::size_t, std::size_t> children,
            std::vector<double>& estimate) {
  const auto [first, last] = children;
  const std::vector<double>& mean = grid.tree.estimate;
  const double stops = static_cast<double>(grid.stops);
  std::vector<double> x, v;
  std::vector<bool> pinned;
  for (std::size_t child = first; child < last; ++child) {
    // Expected: the stop's trips divide as those of all stops do.
    // Where the mean has nothing in the parent, evenly.
    const double share = mean[parent] > 0 ? mean[child] / mean[parent] : 1.0 / static_cast<double>(last - first);
    // The shares sum to 1 over the family, so expectations sum to the parent's estimate.
    const double e = share * estimate[parent];
    if (!grid.apart[child]) {
      // Counted together: the mean's division is all that is known. A family is counted one way as a whole, so these
      // sum to the parent without a projection.
      estimate[child] = e;
      continue;
    }
    // How far the stop's true count may be from e: stops differ by a factor of variance `unlike`, and one of `stops`
    // draws lies about the mean of all with the variance e (1 - 1/stops), chance alone. Shrunk towards e accordingly:
    // linear Bayes, as in anchor_estimate.cc.
    // The larger of what this stop and what the mean leads to expect: a stop that seems to have few trips so far may
    // still have many here.
    const double larger = std::max(e, mean[child]);
    const double t = std::max(kLeastUnlike, grid.unlike[child]) * larger * larger + e * (1 - 1 / stops);
    // Near 1 where the stop's own count is sure compared with t, near 0 where it is mostly noise.
    const double pull = t / (t + own.w[child]);
    x.push_back(e + pull * (own.z[child] - e));
    v.push_back(std::max(1e-12, pull * own.w[child]));
    // Where the mean says that there is nothing, no stop has anything.
    pinned.push_back(e <= 0);
  }
  if (x.empty()) return;
  // A projection needs somewhere to put the sum.
  if (std::all_of(pinned.begin(), pinned.end(), [](bool p) { return p; })) pinned.assign(x.size(), false);
  project_family(x, v, pinned, estimate[parent]);
  std::copy(x.begin(), x.end(), estimate.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

std::vector<std::vector<double>> estimate_stops(GridCounts& grid, double ticks_to_rate) {
  const std::size_t rows = grid.tree.rows();
  const double stops = static_cast<double>(grid.stops);
  // First the mean over stops. Counted apart, it is the mean of so many independent counts, of variance noise/stops;
  // counted together, one count of their sum divided by stops, of variance noise/stops^2.
  // The root is known from elsewhere. Its variance is kept above 0, as it is divided by.
  std::vector<double> z = {grid.total}, w = {std::max(1e-9, grid.total_variance)};
  for (std::size_t row = 1; row < rows; ++row) {
    z.push_back(grid.mean(row));
    w.push_back(noise_of(grid, row, ticks_to_rate) / (grid.apart[row] ? stops : stops * stops));
  }
  // Values of the mean, so the significance of a box is judged by the counts of all stops.
  finish_multigrid(grid.tree, std::move(z), std::move(w));
  if (grid.stops == 1) return {grid.tree.estimate};

  const Families families = families_of(grid.tree);
  std::vector<std::vector<double>> estimates;
  for (std::size_t stop = 0; stop < grid.stops; ++stop) {
    const Values own = of_stop(grid, families, stop, ticks_to_rate);
    std::vector<double> estimate(rows, 0.0);
    // All stops have as many trips as there are: every trip has one point at each.
    estimate[0] = grid.tree.estimate[0];
    // Then each stop from the root down, so that a parent is final before its parts divide it.
    for (const auto& parents : families.of_depth) {
      for (std::size_t parent : parents) divide(grid, own, parent, families.children[parent], estimate);
    }
    estimates.push_back(std::move(estimate));
  }
  return estimates;
}

}  // namespace stopover
