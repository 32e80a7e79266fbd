// Families: the parents of a tree table by depth, and where each one's children stand.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "release/release.h"

namespace stopover {

struct Families {
  std::vector<std::vector<std::size_t>> of_depth;             // rows that have children, by depth
  std::vector<std::pair<std::size_t, std::size_t>> children;  // [row]: first child and one past the last; equal if none
};

// REQUIRES: the children of a row stand together, as TreeTable appends them.
Families families_of(const Table& table);

// Joins every row's value z, of variance w, with the sum of its children's by inverse variance, from below. A row that
// was not measured has a variance of 1e300 and becomes its children's sum.
void join_upwards(const Families& families, std::vector<double>& z, std::vector<double>& w);

// Makes `z` the nearest values to it (squares weighted by 1/w) that are not negative and have the given sum; `pinned`
// ones become 0. REQUIRES: sum >= 0, w > 0, not all pinned.
void project_family(std::vector<double>& z, const std::vector<double>& w, std::vector<bool> pinned, double sum);

}  // namespace stopover
