#include "privacy/box_tree.h"

#include "base/check.h"

namespace stopover {
namespace {

constexpr std::size_t kRoot = std::size_t{1} << 63;

}  // namespace

BoxTree::BoxTree(const CountSource& source)
    : source_(source), named_at_{kRoot}, sums_{static_cast<std::int64_t>(source.total())} {
  for (const Axis& axis : source.domain().axes()) task_.widths.push_back(axis.cells);
  task_.slots = 1;
}

std::int32_t& BoxTree::named(std::size_t slot) {
  const std::size_t at = named_at_[slot];
  if (at == kRoot) return task_.root;
  CutTree::Node& node = task_.tree[at / 2];
  return at % 2 == 0 ? node.below : node.above;
}

std::size_t BoxTree::divide(std::size_t slot, const CutTree& tree) {
  if (tree.nodes.empty()) return slot;
  const std::lock_guard lock(mutex_);
  const std::size_t base = task_.tree.size(), first = task_.slots;
  STOPOVER_CHECK(base + tree.nodes.size() < (std::size_t{1} << 30), "a view has at most 2^30 boxes");
  STOPOVER_CHECK(named(slot) == ~static_cast<std::int32_t>(slot), "a box was divided twice");
  task_.slots += tree.nodes.size() + 1;
  named_at_.resize(task_.slots);
  named(slot) = static_cast<std::int32_t>(base);
  for (CutTree::Node node : tree.nodes) {
    const std::size_t at = 2 * task_.tree.size();
    for (std::size_t side = 0; side < 2; ++side) {
      std::int32_t& to = side == 0 ? node.below : node.above;
      if (to >= 0) {
        to += static_cast<std::int32_t>(base);
      } else {
        named_at_[first + static_cast<std::size_t>(~to)] = at + side;
        to = ~(~to + static_cast<std::int32_t>(first));
      }
    }
    task_.tree.push_back(node);
  }
  return first;
}

std::vector<std::int64_t> BoxTree::totals(std::size_t first, std::size_t boxes) {
  const std::lock_guard lock(mutex_);
  if (first + boxes > sums_.size()) {
    task_.first_slot = sums_.size();
    Tally tally(task_);
    source_.pass(tally);
    sums_.reserve(task_.slots);
    for (std::size_t slot = sums_.size(); slot < task_.slots; ++slot)
      sums_.push_back(static_cast<std::int64_t>(tally.slot(slot)));
  }
  const auto begin = sums_.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(boxes)};
}

}  // namespace stopover
