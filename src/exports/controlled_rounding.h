// Controlled rounding: a table of whole numbers that is as near to a table of decimals as sums allow.
//
//   std::vector<std::int64_t> whole = round_table(values, SideTotals::none(tree), SideTotals::none(tree));
//
// Every cell becomes one of the two whole numbers around it (one that is whole stays), and so does every sum of the two
// trees: rows, columns, groups of rows and of columns at every level, and the whole. So no such sum is off by 1 or
// more. Such a table always exists (Bacharach, "Matrix rounding problems", Management Science 12, 1966; Cox and Ernst,
// "Controlled rounding", INFOR 20, 1982): the cells and sums are a flow without sources or sinks, from the whole over
// groups and rows to columns, groups and the whole again, and a flow whose edges have whole bounds can be made whole.
//
// No chance is in it, and after the first step only whole numbers: the same table gives the same numbers everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exports/sum_tree.h"

namespace stopover {

// Totals of the sides that are whole are met exactly. Values are read to the nearest 2^-40. REQUIRES: rows x columns
// values, row by row, finite, from 0 to 2^52; they meet the totals up to a hundredth in all.
std::vector<std::int64_t> round_table(std::span<const double> values, const SideTotals& rows,
                                      const SideTotals& columns);

// The same of a list: any run of values is off by less than 1. REQUIRES: values from 0 to 2^52 in sum.
std::vector<std::int64_t> round_list(std::span<const double> values);

}  // namespace stopover
