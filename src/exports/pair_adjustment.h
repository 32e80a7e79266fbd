// PairAdjustment: what is done to a table of pairs of zones after the release was asked, with public numbers alone:
// expanded to a population, made to meet known totals, rounded to whole numbers that add up; in this order.
//
//   Result<PairAdjustment> adjust = PairAdjustment::make({.expand = "2.5", .integers = true}, tree, stops);
//   Result<AdjustedPairs> done = adjust->apply(estimates);
//
// An expansion scales estimates and intervals alike. Totals change estimates as total_fit.h says, and intervals by the
// same factors, but no further than totals allow; those are not claimed afterwards, for nobody measured how often they
// hold. Whole numbers stand beside the estimates, which stay as they are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "exports/sum_tree.h"
#include "exports/total_fit.h"
#include "query/answer.h"

namespace stopover {

// A table of pairs, row by row, after its adjustment.
struct AdjustedPairs {
  std::size_t zones = 0;
  std::vector<double> estimate;
  std::vector<std::int64_t> whole;          // where whole numbers were wanted
  std::vector<double> factors;              // by zone of origin; empty: nothing was expanded
  std::optional<TotalFit> fit;              // where totals were given
  std::array<std::vector<double>, 2> most;  // with it, of each zone of a side: the smallest total that it is part of

  // What the release answered about a pair, with its estimate and intervals adjusted.
  Answer of(std::size_t from, std::size_t to, Answer answer) const;
};

// All figures of an answer times a factor.
Answer scaled(Answer answer, double factor);

class PairAdjustment {
 public:
  static constexpr double kLargestFactor = 1e9;

  struct Wanted {
    std::string expand = {};      // a number, or a CSV file with one per zone of origin; DEFAULT: "", none
    std::string fix_totals = {};  // a CSV file; DEFAULT: "", none
    bool integers = false;
  };

  // `stops`: the names of the two stops. Fails (bad_input) as read_zone_figures does, where a zone has no factor or
  // one that is 0 or above kLargestFactor. REQUIRES: `tree` outlives it.
  static Result<PairAdjustment> make(const Wanted& wanted, const SumTree& tree,
                                     const std::array<std::string, 2>& stops);
  // The factor, where `expand` is a number. Fails (usage) where it is not above 0 and at most kLargestFactor.
  static Result<std::optional<double>> one_factor(const std::string& expand);

  // How many totals of origins and of destinations there are.
  std::array<std::size_t, 2> totals() const;

  // Fails (bad_input) as fit_totals does, and where numbers are too large to be rounded.
  // REQUIRES: one estimate per pair of the tree's zones, row by row.
  Result<AdjustedPairs> apply(std::vector<double> estimates) const;

 private:
  PairAdjustment() = default;

  const SumTree* tree_ = nullptr;
  std::string file_;             // of totals
  std::vector<double> factors_;  // by zone of origin; empty: none
  std::array<SideTotals, 2> totals_;
  bool fix_ = false, integers_ = false;
};

}  // namespace stopover
