#include "exports/whole_partitions.h"

#include "exports/controlled_rounding.h"
#include "release/children.h"

namespace stopover {

std::vector<std::int64_t> whole_partitions(const Table& table) {
  const ChildIndex children(table);
  std::vector<std::uint32_t> stack(children.roots().rbegin(), children.roots().rend());
  std::vector<std::uint32_t> order;  // leaves, all those below a node together
  std::vector<double> estimates;
  while (!stack.empty()) {
    const std::uint32_t row = stack.back();
    stack.pop_back();
    const auto below = children.of(row);
    stack.insert(stack.end(), below.rbegin(), below.rend());
    if (!below.empty()) continue;
    order.push_back(row);
    estimates.push_back(table.estimate[row]);
  }
  const std::vector<std::int64_t> rounded = round_list(estimates);
  std::vector<std::int64_t> by_row(table.rows()), whole;
  for (std::size_t i = 0; i < order.size(); ++i) by_row[order[i]] = rounded[i];
  const std::vector<bool> leaves = table.leaves();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (leaves[row]) whole.push_back(by_row[row]);
  }
  return whole;
}

}  // namespace stopover
