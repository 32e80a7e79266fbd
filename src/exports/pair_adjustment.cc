#include "exports/pair_adjustment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/usage_error.h"
#include "exports/controlled_rounding.h"
#include "exports/zone_figures.h"

namespace stopover {
namespace {

constexpr double kMostTrips = 4503599627370496.0;  // 2^52, as round_table takes them

// A zone's own factor, else that of its smallest group that has one.
Result<std::vector<double>> factors_of_zones(const std::string& path, const SumTree& tree) {
  const std::vector<std::vector<std::string>> columns = {{"factor", "expand", "expansion", "weight"}};
  const auto figures = read_zone_figures(path, "expand", tree, columns);
  if (!figures) return figures.error();
  std::vector<double> factors;
  for (std::size_t zone = 0; zone < tree.zones(); ++zone) {
    std::size_t node = zone;
    while (!figures->front()[node] && node != tree.whole()) node = tree[node].parent;
    const std::optional<double>& factor = figures->front()[node];
    if (!factor) {
      return Error{
          Failure::bad_input,
          fmt::format("`expand {}` has no factor for {}\n  Every zone needs one: its own, its group's, or that "
                      "of {} (all zones).",
                      path, tree.called(zone), SumTree::kWhole)};
    }
    if (!(*factor > 0) || *factor > PairAdjustment::kLargestFactor) {
      return Error{Failure::bad_input, fmt::format("`expand {}` has the factor {} for {}\n  Factors are above 0 and at "
                                                   "most 1e9.",
                                                   path, *factor, tree.called(node))};
    }
    factors.push_back(*factor);
  }
  return factors;
}

// Of each zone: the smallest total that it is part of.
std::vector<double> largest_possible(const SideTotals& side) {
  std::vector<double> most(side.tree->zones(), HUGE_VAL);
  for (std::size_t zone = 0; zone < most.size(); ++zone) {
    for (std::size_t node = zone;; node = (*side.tree)[node].parent) {
      if (side.total[node]) most[zone] = std::min(most[zone], *side.total[node]);
      if (node == side.tree->whole()) break;
    }
  }
  return most;
}

// What a column of totals may be called: as the stop, with or without an s, and as planners say.
std::vector<std::string> words_for(const std::string& stop, std::string plural, std::string planners) {
  return {std::move(plural), stop, stop + "s", std::move(planners)};
}

}  // namespace

Result<std::optional<double>> PairAdjustment::one_factor(const std::string& expand) {
  double factor = 0;
  const auto [end, failed] = std::from_chars(expand.data(), expand.data() + expand.size(), factor);
  if (failed != std::errc() || end != expand.data() + expand.size()) return std::optional<double>();
  if (factor > 0 && factor <= kLargestFactor) return std::optional(factor);
  return usage_error(fmt::format("`expand {}`: a factor is above 0 and at most 1e9", expand));
}

Result<PairAdjustment> PairAdjustment::make(const Wanted& wanted, const SumTree& tree,
                                            const std::array<std::string, 2>& stops) {
  PairAdjustment adjustment;
  adjustment.tree_ = &tree;
  adjustment.integers_ = wanted.integers;
  if (!wanted.expand.empty()) {
    const Result<std::optional<double>> one = one_factor(wanted.expand);
    if (!one) return one.error();
    Result<std::vector<double>> factors =
        *one ? std::vector<double>(tree.zones(), **one) : factors_of_zones(wanted.expand, tree);
    if (!factors) return factors.error();
    adjustment.factors_ = *std::move(factors);
  }
  adjustment.totals_ = {SideTotals::none(tree), SideTotals::none(tree)};
  if (!wanted.fix_totals.empty()) {
    const std::vector<std::vector<std::string>> columns = {words_for(stops[0], "origins", "productions"),
                                                           words_for(stops[1], "destinations", "attractions")};
    auto figures = read_zone_figures(wanted.fix_totals, "fix_totals", tree, columns);
    if (!figures) return figures.error();
    adjustment.file_ = wanted.fix_totals;
    adjustment.fix_ = true;
    for (std::size_t side = 0; side < 2; ++side) adjustment.totals_[side].total = std::move((*figures)[side]);
  }
  return adjustment;
}

std::array<std::size_t, 2> PairAdjustment::totals() const {
  std::array<std::size_t, 2> counts{};
  for (std::size_t side = 0; side < 2; ++side) {
    for (const std::optional<double>& total : totals_[side].total) counts[side] += total ? 1 : 0;
  }
  return counts;
}

Result<AdjustedPairs> PairAdjustment::apply(std::vector<double> estimates) const {
  const std::size_t n = tree_->zones();
  AdjustedPairs done{n, std::move(estimates), {}, factors_, {}, {}};
  for (std::size_t pair = 0; !factors_.empty() && pair < done.estimate.size(); ++pair) {
    done.estimate[pair] *= factors_[pair / n];
  }
  if (fix_) {
    Result<TotalFit> fit = fit_totals(done.estimate, totals_[0], totals_[1], {"origins", "destinations"});
    if (!fit) {
      return Error{fit.error().failure, fmt::format("`fix_totals {}`: {}", file_, fit.error().message)};
    }
    done.fit = *std::move(fit);
    done.most = {largest_possible(totals_[0]), largest_possible(totals_[1])};
  }
  if (integers_) {
    if (!(std::accumulate(done.estimate.begin(), done.estimate.end(), 0.0) < kMostTrips)) {
      return Error{Failure::bad_input, "the estimates are too large for whole numbers\n  Leave out `integers`."};
    }
    done.whole = round_table(done.estimate, totals_[0], totals_[1]);
  }
  return done;
}

Answer scaled(Answer answer, double factor) {
  for (double* figure : {&answer.estimate, &answer.unprojected, &answer.noise_lower, &answer.noise_upper,
                         &answer.bounds_lower, &answer.bounds_upper, &answer.lower, &answer.upper}) {
    *figure *= factor;
  }
  if (answer.median) *answer.median *= factor;
  return answer;
}

Answer AdjustedPairs::of(std::size_t from, std::size_t to, Answer answer) const {
  if (!factors.empty()) answer = scaled(answer, factors[from]);
  if (fit) {
    answer = scaled(answer, fit->row_factor[from] * fit->column_factor[to]);
    answer.estimate = estimate[from * zones + to];
    answer.claimed = false;
    // No pair is larger than a total that it is part of; of what was filled in nothing else is known.
    const double largest = std::min(most[0][from], most[1][to]);
    const bool filled = fit->filled_zone[0][from] || fit->filled_zone[1][to];
    for (double* end : {&answer.bounds_lower, &answer.lower}) *end = filled ? 0 : std::min(*end, answer.estimate);
    for (double* end : {&answer.bounds_upper, &answer.upper}) {
      *end = std::max(filled ? largest : std::min(*end, largest), answer.estimate);
    }
    if (answer.median) answer.median = std::clamp(*answer.median, answer.lower, answer.upper);
  }
  return answer;
}

}  // namespace stopover
