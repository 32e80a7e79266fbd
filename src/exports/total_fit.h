// Total fit: a table scaled so that it meets totals that are known, by iterative proportional fitting (Deming and
// Stephan, Annals of Mathematical Statistics 11, 1940): rows and columns are scaled in turn until both fit. Of all
// tables with these totals it is the one that differs least from what was there, in relative entropy (Csiszar 1975).
//
//   SideTotals origins = SideTotals::none(tree);
//   origins.total[*tree.find("A")] = 1200;
//   Result<TotalFit> fit = fit_totals(values, origins, SideTotals::none(tree), {"origins", "destinations"});
//
// A group's total is met by scaling those of its zones that have no total of their own; zones without any stay free.
// What cannot be reached by scaling, because values are 0, is filled up (TotalFit says where).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "exports/sum_tree.h"

namespace stopover {

struct TotalFit {
  // A value is now (value before + what was filled in) * row_factor * column_factor.
  std::vector<double> row_factor, column_factor;
  // Nodes of each side (rows, columns) with a total above 0 but nothing to scale (in sum less than half a trip and a
  // tenth of the total): their values are replaced by shares like the other side's sums.
  std::array<std::vector<std::size_t>, 2> filled;
  // Whether a zone of each side counts towards one of them.
  std::array<std::vector<bool>, 2> filled_zone;
  // How much of the table that rows and columns alone would make was added to every pair, because totals could not be
  // met otherwise: the sum of what was added, as a share of all. 0: nothing.
  double blended = 0;
  std::size_t sweeps = 0;
};

// Totals are met to about ten digits. `words`: what the totals of rows and of columns are called. Fails (bad_input)
// where a group's total and those in it contradict each other, where both sides are given in full and disagree, where
// one side needs more than the other has, and where there is nothing to scale. REQUIRES: rows x columns values, row by
// row, not negative; totals not negative.
Result<TotalFit> fit_totals(std::vector<double>& values, const SideTotals& rows, const SideTotals& columns,
                            const std::array<std::string, 2>& words);

}  // namespace stopover
