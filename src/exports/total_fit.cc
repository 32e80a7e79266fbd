#include "exports/total_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace stopover {
namespace {

constexpr std::size_t kFree = static_cast<std::size_t>(-1);
constexpr std::size_t kMostSweeps = 2000;
// Less than this, and less than a tenth of a total, is nothing: what it is made of would say who travels where.
constexpr double kNothing = 0.5;
constexpr std::size_t kPatience = 100;  // sweeps within which the error must halve

// Sums of decimals as they are typed differ by this much without meaning it.
double slack(double sum) { return 1e-6 + 1e-12 * sum; }

// One side's totals as sets of zones that share one total each, no zone in two of them: a group's set are the zones
// below it that no smaller total is about, and its total what these leave of the group's.
struct SideSets {
  std::vector<std::size_t> owner;  // of each zone: the node whose total it counts towards; kFree: none
  std::vector<double> rest;        // by node
  bool covered = true;             // whether no zone is free
  double sum = 0;                  // of all totals that no larger one holds

  static Result<SideSets> of(const SideTotals& side, const std::string& word) {
    const SumTree& tree = *side.tree;
    SideSets sets;
    sets.owner.assign(tree.zones(), kFree);
    sets.rest.assign(tree.size(), 0.0);
    std::vector<double> inside(tree.size(), 0.0);  // of the totals right below
    for (std::size_t node = 0; node < tree.size(); ++node) {
      const std::optional<double>& total = side.total[node];
      std::size_t free = 0;
      for (std::size_t i = tree[node].zones.lo; total && i < tree[node].zones.hi; ++i) {
        if (sets.owner[i] != kFree) continue;
        sets.owner[i] = node;
        ++free;
      }
      const double held = total.value_or(inside[node]);
      if (total) {
        sets.rest[node] = *total - inside[node];
        if (sets.rest[node] < -slack(*total) || (free == 0 && sets.rest[node] > slack(*total))) {
          return Error{Failure::bad_input,
                       fmt::format("{} of {} are {}, but what is in it adds up to {}\n  Mend the totals: a group is as "
                                   "much as its zones, or more where some have no total.",
                                   word, tree.called(node), *total, inside[node])};
        }
        sets.rest[node] = std::max(0.0, sets.rest[node]);
      }
      if (node != tree.whole()) inside[tree[node].parent] += held;
      if (node == tree.whole()) sets.sum = held;
    }
    sets.covered = std::find(sets.owner.begin(), sets.owner.end(), kFree) == sets.owner.end();
    return sets;
  }

  // Scales factors so that, with these sums of each zone under them, every set has its total. Gives how far totals
  // were missed before, in all.
  double scale(std::span<const double> sums, std::vector<double>& factors) const {
    std::vector<double> has(rest.size(), 0.0);
    for (std::size_t i = 0; i < owner.size(); ++i) {
      if (owner[i] != kFree) has[owner[i]] += factors[i] * sums[i];
    }
    double missed = 0;
    for (std::size_t node = 0; node < rest.size(); ++node) missed += std::abs(has[node] - rest[node]);
    for (std::size_t i = 0; i < owner.size(); ++i) {
      if (owner[i] == kFree) continue;
      const std::size_t node = owner[i];
      if (has[node] > 0) factors[i] *= rest[node] / has[node];
    }
    return missed;
  }

  // What each zone would have if its set's total were shared out as the zones' sums are; evenly where these are 0.
  std::vector<double> wanted(std::span<const double> sums) const {
    std::vector<double> has(rest.size(), 0.0), zones(rest.size(), 0.0);
    for (std::size_t i = 0; i < owner.size(); ++i) {
      if (owner[i] == kFree) continue;
      has[owner[i]] += sums[i];
      zones[owner[i]] += 1;
    }
    std::vector<double> want(owner.size());
    for (std::size_t i = 0; i < owner.size(); ++i) {
      const std::size_t node = owner[i];
      want[i] = node == kFree ? sums[i] : has[node] > 0 ? rest[node] * sums[i] / has[node] : rest[node] / zones[node];
    }
    return want;
  }

  // The sets with a total above 0 that have nothing, or next to nothing.
  std::vector<std::size_t> empty(std::span<const double> sums) const {
    std::vector<double> has(rest.size(), 0.0);
    for (std::size_t i = 0; i < owner.size(); ++i) {
      if (owner[i] != kFree) has[owner[i]] += sums[i];
    }
    std::vector<std::size_t> nodes;
    for (std::size_t node = 0; node < rest.size(); ++node) {
      if (rest[node] > 0 && has[node] < std::min(kNothing, rest[node] / 10)) nodes.push_back(node);
    }
    return nodes;
  }
};

class Fitting {
 public:
  Fitting(std::vector<double>& values, const SideSets& rows, const SideSets& columns)
      : values_(values), rows_(rows), columns_(columns), width_(columns.owner.size()) {}

  // Row sums with the columns' factors, and the other way round.
  std::vector<double> row_sums(std::span<const double> factors) const {
    std::vector<double> sums(rows_.owner.size(), 0.0);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double* row = &values_[i * width_];
      sums[i] = std::inner_product(row, row + width_, factors.begin(), 0.0);
    }
    return sums;
  }
  std::vector<double> column_sums(std::span<const double> factors) const {
    std::vector<double> sums(width_, 0.0);
    for (std::size_t i = 0; i < rows_.owner.size(); ++i) {
      if (factors[i] == 0) continue;
      for (std::size_t j = 0; j < width_; ++j) sums[j] += factors[i] * values_[i * width_ + j];
    }
    return sums;
  }

  // Rows and columns in turn; whether both fit in the end.
  bool fit(double enough, TotalFit& to) const {
    to.row_factor.assign(rows_.owner.size(), 1.0);
    to.column_factor.assign(width_, 1.0);
    double best = HUGE_VAL, mark = HUGE_VAL;
    for (to.sweeps = 1; to.sweeps <= kMostSweeps; ++to.sweeps) {
      double missed = rows_.scale(row_sums(to.column_factor), to.row_factor);
      missed += columns_.scale(column_sums(to.row_factor), to.column_factor);
      if (!std::isfinite(missed)) return false;
      if (missed <= enough) return true;
      best = std::min(best, missed);
      if (to.sweeps % kPatience != 0) continue;
      if (best > mark / 2) return false;
      mark = best;
    }
    return false;
  }

  void apply(const TotalFit& fit) {
    for (std::size_t i = 0; i < rows_.owner.size(); ++i) {
      for (std::size_t j = 0; j < width_; ++j) values_[i * width_ + j] *= fit.row_factor[i] * fit.column_factor[j];
    }
  }

 private:
  std::vector<double>& values_;
  const SideSets &rows_, &columns_;
  std::size_t width_;
};

}  // namespace

Result<TotalFit> fit_totals(std::vector<double>& values, const SideTotals& rows, const SideTotals& columns,
                            const std::array<std::string, 2>& words) {
  const std::size_t n = rows.tree->zones(), m = columns.tree->zones();
  STOPOVER_CHECK(values.size() == n * m, "a table has one value per pair");
  const Result<SideSets> a = SideSets::of(rows, words[0]), b = SideSets::of(columns, words[1]);
  if (!a) return a.error();
  if (!b) return b.error();
  const double off = a->sum - b->sum;
  if (a->covered && b->covered && std::abs(off) > slack(a->sum)) {
    return Error{Failure::bad_input, fmt::format("{} add up to {}, {} to {}\n  Every trip has both: give totals that "
                                                 "agree, or leave some out.",
                                                 words[0], a->sum, words[1], b->sum)};
  }
  for (const bool first : {true, false}) {
    const SideSets &full = first ? *a : *b, &part = first ? *b : *a;
    if (!full.covered || part.sum <= full.sum + slack(full.sum)) continue;
    return Error{Failure::bad_input,
                 fmt::format("{} add up to {}, more than all {}, {}\n  Every trip has both: mend the totals.",
                             words[first ? 1 : 0], part.sum, words[first ? 0 : 1], full.sum)};
  }

  Fitting fitting(values, *a, *b);
  TotalFit fit;
  const std::vector<double> ones_m(m, 1.0), ones_n(n, 1.0);
  const std::vector<double> row_sums = fitting.row_sums(ones_m), column_sums = fitting.column_sums(ones_n);
  const std::vector<double> want_row = a->wanted(row_sums), want_column = b->wanted(column_sums);
  const double all_rows = std::accumulate(want_row.begin(), want_row.end(), 0.0);
  const double all_columns = std::accumulate(want_column.begin(), want_column.end(), 0.0);
  if (!(all_rows > 0) || !(all_columns > 0)) {
    if (a->sum <= 0 && b->sum <= 0) {  // totals of 0 alone
      fit.row_factor.assign(n, 0.0);
      fit.column_factor.assign(m, 0.0);
      fit.filled_zone = {std::vector<bool>(n, false), std::vector<bool>(m, false)};
      fitting.apply(fit);
      return fit;
    }
    return Error{Failure::bad_input,
                 "every estimate is 0: nothing says how to share out the totals\n  Give totals of both sides."};
  }
  // Zones with a total and nothing else get what rows and columns alone would give them.
  const auto alone = [&](std::size_t i, std::size_t j) { return want_row[i] * want_column[j] / all_columns; };
  fit.filled = {a->empty(row_sums), b->empty(column_sums)};
  fit.filled_zone = {std::vector<bool>(n, false), std::vector<bool>(m, false)};
  auto& [fill_row, fill_column] = fit.filled_zone;
  const auto is_filled = [](const std::vector<std::size_t>& nodes, std::size_t owner) {
    return std::binary_search(nodes.begin(), nodes.end(), owner);
  };
  for (std::size_t i = 0; i < n; ++i) fill_row[i] = is_filled(fit.filled[0], a->owner[i]);
  for (std::size_t j = 0; j < m; ++j) fill_column[j] = is_filled(fit.filled[1], b->owner[j]);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      if (fill_row[i] || fill_column[j]) values[i * m + j] = alone(i, j);
    }
  }
  // Where zeros stand in the way, a little of that table is added everywhere; more if it was too little.
  const double enough = std::min(1e-10 * std::max(all_rows, all_columns), 1e-3);
  if (fitting.fit(enough, fit)) {
    fitting.apply(fit);
    return fit;
  }
  double before = 0;
  for (const double share : {1e-4, 1e-2, 1.0}) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < m; ++j) values[i * m + j] += (share - before) * alone(i, j);
    }
    before = share;
    fit.blended = share / (1 + share);
    if (!fitting.fit(enough, fit)) continue;
    fitting.apply(fit);
    return fit;
  }
  return Error{
      Failure::bad_input,
      fmt::format("the totals of {} and {} cannot be met together by scaling the table\n  Totals that leave nothing for "
                  "what has trips are only ever neared. Leave some of them out.",
                  words[0], words[1])};
}

}  // namespace stopover
