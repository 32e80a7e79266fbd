#include "mechanism/tree_table.h"

#include <numeric>

namespace stopover {

std::vector<std::size_t> all_axes(const Domain& domain) {
  std::vector<std::size_t> axes(domain.d());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

Table joint_table(const Kernel& kernel, TableKind kind, Ticks ticks) {
  Table table;
  table.name = "joint";
  table.kind = kind;
  table.axes = all_axes(kernel.domain());
  table.ticks = ticks;
  table.lo.resize(table.axes.size());
  table.hi.resize(table.axes.size());
  return table;
}

void append_grown(Kernel& kernel, Table& table, Grown grown, Ticks leaf_ticks, Ticks descent_ticks) {
  const std::vector<std::int64_t> counts = kernel.count(std::span(grown.leaves), leaf_ticks);
  std::size_t leaf = 0;
  for (const Grown::Node& node : grown.nodes) {
    const std::int64_t count = node.leaf ? counts[leaf++] : 0;
    table.append(node.box, node.parent, count, node.leaf ? leaf_ticks : 0,
                 node.chosen + (node.parent < 0 ? descent_ticks : 0));
  }
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

void TreeTable::append(const Family& family, const std::vector<std::int64_t>& counts, Ticks ticks,
                       std::int32_t parent_row) {
  table_.reserve(table_.rows() + counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) table_.append(family.box(i), parent_row, counts[i], ticks, 0);
}

void TreeTable::append(const std::vector<Region>& regions, const std::vector<std::int64_t>& counts, Ticks ticks,
                       std::int32_t parent_row) {
  for (std::size_t i = 0; i < counts.size(); ++i) table_.append(regions[i].box(), parent_row, counts[i], ticks, 0);
}

}  // namespace stopover
