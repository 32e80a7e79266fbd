#include "mechanism/stop_maps.h"

#include <algorithm>
#include <numeric>

namespace stopover {
namespace {

// A table over a factor's axes with its root row, on which `tree_ticks` were spent without measuring it.
Table empty_map(const Domain& domain, std::size_t number, const Factor& factor, Ticks ticks, Ticks tree_ticks) {
  Table table;
  table.name = "map" + std::to_string(number + 1);
  table.axes = factor;
  table.ticks = ticks;
  table.lo.resize(factor.size());
  table.hi.resize(factor.size());
  std::vector<Interval> sides;
  for (std::size_t axis : factor) sides.push_back({0, domain.axis(axis).cells});
  table.append(Box(sides), -1, 0, 0, tree_ticks);
  return table;
}

// The middle of every side from axis `first` on that can be halved.
Cuts halves(const Box& box, std::size_t first) {
  Cuts cuts(box.axes());
  for (std::size_t axis = first; axis < box.axes(); ++axis) {
    if (box[axis].width() > 1) cuts[axis].push_back(box[axis].lo + box[axis].width() / 2);
  }
  return cuts;
}

Box without_first(const Box& box) {
  std::vector<Interval> sides;
  for (std::size_t axis = 1; axis < box.axes(); ++axis) sides.push_back(box[axis]);
  return Box(sides);
}

void set_estimates(Table& table, double total) {
  std::vector<double> counts(table.count.begin() + 1, table.count.end());
  counts = subtract_and_clip(std::move(counts), total);
  table.estimate[0] = total;
  std::copy(counts.begin(), counts.end(), table.estimate.begin() + 1);
}

}  // namespace

std::vector<double> subtract_and_clip(std::vector<double> values, double total) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, shift = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i];
    const double candidate = (sum - total) / static_cast<double>(i + 1);
    if (sorted[i] - candidate <= 0 && i > 0) break;
    shift = candidate;
  }
  for (double& value : values) value = std::max(0.0, value - shift);
  return values;
}

std::vector<Table> buy_maps(Kernel& kernel, const std::vector<Factor>& factors, Ticks slice, double total,
                            const MapRules& rules) {
  std::vector<Table> tables(factors.size());
  const Ticks each = slice / factors.size();
  for (const std::vector<std::size_t>& group : shared_maps(kernel.domain(), factors)) {
    std::vector<std::vector<std::size_t>> stops;
    for (std::size_t f : group) stops.push_back(factors[f]);
    if (each < 2) {  // too little for a tree and its counts
      for (std::size_t f : group) {
        tables[f] = empty_map(kernel.domain(), f, factors[f], each, 0);
        tables[f].estimate[0] = total;
      }
      continue;
    }
    const std::string name = group.size() == factors.size() ? "maps" : "maps" + std::to_string(group[0] + 1);
    Family root = kernel.pooled_view(name, stops, each * group.size());
    const Ticks tree_ticks = std::clamp<Ticks>(
        static_cast<Ticks>(static_cast<double>(root.left()) * rules.grow_share), 1, root.left() - 1);
    Grown grown = kernel.grow(
        std::move(kernel.open(std::move(root))[0]), tree_ticks, static_cast<int>(factors[group[0]].size()),
        [](const Box& box, std::uint32_t) { return halves(box, 1); }, rules.most_leaves);
    const Ticks count_ticks = grown.leaves[0].left();
    for (std::size_t f : group) {
      tables[f] = empty_map(kernel.domain(), f, factors[f], each, tree_ticks);
      tables[f].view = name;
    }
    std::vector<std::uint32_t> apart(group.size() - 1);
    std::iota(apart.begin(), apart.end(), 1u);
    for (Region& leaf : grown.leaves) {
      const Box box = without_first(leaf.box());
      Family by_stop = kernel.split(std::move(leaf), 0, apart);
      const std::vector<std::int64_t> counts = kernel.count(by_stop, count_ticks);
      for (std::size_t i = 0; i < group.size(); ++i) tables[group[i]].append(box, 0, counts[i], count_ticks, 0);
    }
    for (std::size_t f : group) set_estimates(tables[f], total);
  }
  return tables;
}

}  // namespace stopover
