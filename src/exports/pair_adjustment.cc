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

Result<AdjustedPairs> PairAdjustment::apply(const PairColumns& columns) const {
  const std::size_t n = tree_->zones();
  const auto scale_intervals = [&](const auto& factor) {
    for (const auto* list : {&columns.noise, &columns.lowers, &columns.uppers}) {
      for (std::vector<double>* ends : *list) {
        for (std::size_t pair = 0; pair < ends->size(); ++pair) (*ends)[pair] *= factor(pair / n, pair % n);
      }
    }
  };
  if (!factors_.empty()) {
    for (std::size_t pair = 0; pair < columns.estimate.size(); ++pair) columns.estimate[pair] *= factors_[pair / n];
    scale_intervals([&](std::size_t from, std::size_t) { return factors_[from]; });
  }
  AdjustedPairs done;
  if (fix_) {
    Result<TotalFit> fit = fit_totals(columns.estimate, totals_[0], totals_[1], {"origins", "destinations"});
    if (!fit) {
      return Error{fit.error().failure, fmt::format("`fix_totals {}`: {}", file_, fit.error().message)};
    }
    scale_intervals([&](std::size_t from, std::size_t to) { return fit->row_factor[from] * fit->column_factor[to]; });
    // No pair is larger than a total that it is part of; of what was filled in nothing else is known.
    const std::vector<double> from_most = largest_possible(totals_[0]), to_most = largest_possible(totals_[1]);
    for (std::size_t pair = 0; pair < columns.estimate.size(); ++pair) {
      const double estimate = columns.estimate[pair];
      const bool filled = fit->filled_zone[0][pair / n] || fit->filled_zone[1][pair % n];
      for (std::vector<double>* ends : columns.lowers) {
        (*ends)[pair] = filled ? 0 : std::min((*ends)[pair], estimate);
      }
      const double most = std::min(from_most[pair / n], to_most[pair % n]);
      for (std::vector<double>* ends : columns.uppers) {
        (*ends)[pair] = std::max(filled ? most : std::min((*ends)[pair], most), estimate);
      }
    }
    done.fit = *std::move(fit);
  }
  if (integers_) {
    if (!(std::accumulate(columns.estimate.begin(), columns.estimate.end(), 0.0) < kMostTrips)) {
      return Error{Failure::bad_input, "the estimates are too large for whole numbers\n  Leave out `integers`."};
    }
    done.whole = round_table(columns.estimate, totals_[0], totals_[1]);
  }
  return done;
}

}  // namespace stopover
