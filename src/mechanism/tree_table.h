// TreeTable: keeps a kernel view and the release table that describes it in step, row by row.
//
// Every family that is counted (or skipped) through it becomes rows; a region opened later is found again by its row.
// The order of rows is the order of these calls, so a plan that works level by level gives the same table for any
// threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "privacy/kernel.h"
#include "release/release.h"

namespace stopover {

// 0, 1, ..., d - 1.
std::vector<std::size_t> all_axes(const Domain& domain);

// A table without rows over all axes of the kernel's domain, named "joint".
Table joint_table(const Kernel& kernel, TableKind kind, Ticks ticks);

// Counts the leaves of what a descent grew with `leaf_ticks` and appends all its boxes; what the descent itself cost
// stands at its first box, what choosing a cut did at that box.
void append_grown(Kernel& kernel, Table& table, Grown grown, Ticks leaf_ticks, Ticks descent_ticks);

class TreeTable {
 public:
  // Opens the view and pays its slice.
  TreeTable(Kernel& kernel, std::string name, std::vector<std::size_t> axes, Ticks slice);

  // The view's root family. REQUIRES: called once.
  Family take_root() { return std::move(root_); }

  // Counts the family and appends its rows as children of `parent_row` (-1: roots). The first row is rows() before the
  // call.
  std::vector<std::int64_t> count(Family& family, Ticks ticks, std::int32_t parent_row = -1);
  // Appends the family's rows without measuring them.
  void skip(const Family& family, std::int32_t parent_row = -1);
  // Appends rows of a family counted elsewhere (in parallel, say).
  void append(const Family& family, const std::vector<std::int64_t>& counts, Ticks ticks, std::int32_t parent_row);
  // The same for a family that has been opened since.
  void append(const std::vector<Region>& regions, const std::vector<std::int64_t>& counts, Ticks ticks,
              std::int32_t parent_row);
  // Puts the revealed refinement of a gradual count in its place: the row then stands for one count at the price of
  // both, with the coarse one beside it.
  void refine(std::size_t row, std::int64_t count, Ticks more_ticks) { table_.refine(row, count, more_ticks); }
  // Notes what else was spent on a row's region.
  void add_side_ticks(std::size_t row, Ticks ticks) { table_.side_ticks[row] += ticks; }

  std::size_t rows() const { return table_.rows(); }
  Table finish() && { return std::move(table_); }

 private:
  Kernel& kernel_;
  Table table_;
  Family root_;
};

}  // namespace stopover
