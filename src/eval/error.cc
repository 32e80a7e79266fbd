#include "eval/error.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace stopover {

double quantile(std::span<const double> sorted, double share) {
  STOPOVER_CHECK(!sorted.empty(), "a quantile of nothing was asked for");
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

ErrorSummary summarise(std::span<const Outcome> outcomes, std::uint64_t trips, double level) {
  ErrorSummary sum;
  sum.queries = outcomes.size();
  if (outcomes.empty()) return sum;
  const double floor = kSanityShare * static_cast<double>(trips);
  std::vector<double> relative, over;
  for (const Outcome& o : outcomes) {
    const double error = std::abs(o.truth - o.estimate);
    if (o.truth > 0) relative.push_back(100 * error / o.truth);
    if (o.truth > 0) sum.mean_inverse += 1 / o.truth;
    over.push_back(o.estimate - o.truth);
    sum.max_absolute = std::max(sum.max_absolute, error);
    if (error > 0) sum.bounded_re += 100 * error / std::max(o.truth, floor);
    sum.mean_absolute += error;
    sum.coverage += o.lower <= o.truth && o.truth <= o.upper;
    sum.mean_width += o.upper - o.lower;
    const double outside = std::max({o.lower - o.truth, o.truth - o.upper, 0.0});
    sum.interval_score += o.upper - o.lower + 2 / (1 - level) * outside;
  }
  const auto n = static_cast<double>(outcomes.size());
  for (double* mean : {&sum.bounded_re, &sum.mean_absolute, &sum.coverage, &sum.mean_width, &sum.interval_score})
    *mean /= n;
  std::sort(over.begin(), over.end());
  sum.over_p99 = quantile(over, 0.99);
  if (relative.empty()) return sum;
  const auto m = static_cast<double>(relative.size());
  for (double error : relative) sum.mre += error / m;
  sum.mean_inverse /= m;
  double squares = 0;
  for (double error : relative) squares += (error - sum.mre) * (error - sum.mre);
  sum.mre_error = std::sqrt(squares) / m;
  std::sort(relative.begin(), relative.end());
  sum.median_re = quantile(relative, 0.5);
  sum.re_p10 = quantile(relative, 0.1);
  sum.re_p90 = quantile(relative, 0.9);
  return sum;
}

double entropy(std::span<const std::uint64_t> counts) {
  double total = 0;
  for (std::uint64_t count : counts) total += static_cast<double>(count);
  double bits = 0;
  for (std::uint64_t count : counts) {
    const double share = static_cast<double>(count) / total;
    if (count > 0) bits -= share * std::log2(share);
  }
  return bits;
}

double partition_entropy(const Release& release, const RangeCounter& truth) {
  const Table& table = release.tables.at(0);
  STOPOVER_CHECK(table.kind == TableKind::partition && table.axes.size() == truth.d(),
                 "the table is a partition of all axes");
  const std::vector<bool> leaves = table.leaves();
  std::vector<std::uint64_t> counts;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (leaves[row]) counts.push_back(truth.count(table.box(row)));
  }
  return entropy(counts);
}

}  // namespace stopover
