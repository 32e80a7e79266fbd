#include "mechanism/tree_table.h"

#include <numeric>

namespace stopover {

std::vector<std::size_t> all_axes(const Domain& domain) {
  std::vector<std::size_t> axes(domain.d());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

TreeTable::TreeTable(Kernel& kernel, std::string name, std::vector<std::size_t> axes, Ticks slice)
    : kernel_(kernel), root_(kernel.view(name, axes, slice)) {
  table_.name = std::move(name);
  table_.axes = std::move(axes);
  table_.ticks = slice;
  table_.lo.resize(table_.axes.size());
  table_.hi.resize(table_.axes.size());
}

std::vector<std::int64_t> TreeTable::count(Family& family, Ticks ticks, std::int32_t parent_row) {
  std::vector<std::int64_t> counts = kernel_.count(family, ticks);
  append(family, counts, ticks, parent_row);
  return counts;
}

void TreeTable::skip(const Family& family, std::int32_t parent_row) {
  for (std::size_t i = 0; i < family.size(); ++i) table_.append(family.box(i), parent_row, 0, 0, 0);
}

void TreeTable::append(const Family& family, const std::vector<std::int64_t>& counts, Ticks ticks, std::int32_t parent_row) {
  table_.reserve(table_.rows() + counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) table_.append(family.box(i), parent_row, counts[i], ticks, 0);
}

void TreeTable::append(const std::vector<Region>& regions, const std::vector<std::int64_t>& counts, Ticks ticks,
                       std::int32_t parent_row) {
  for (std::size_t i = 0; i < counts.size(); ++i) table_.append(regions[i].box(), parent_row, counts[i], ticks, 0);
}

}  // namespace stopover
