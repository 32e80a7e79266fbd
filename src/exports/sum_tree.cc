#include "exports/sum_tree.h"

namespace stopover {

SumTree SumTree::make(const std::vector<std::string>& names, const ZoneSet* groups) {
  SumTree tree;
  tree.zones_ = names.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at = static_cast<std::uint32_t>(i);
    tree.nodes_.push_back({names[i], {at, at + 1}, 0});
  }
  // below[i]: the topmost node so far that holds zone i.
  std::vector<std::size_t> below(names.size());
  for (std::size_t i = 0; i < below.size(); ++i) below[i] = i;
  const auto put_above = [&](std::string name, Interval zones) {
    const std::size_t number = tree.nodes_.size();
    for (std::size_t i = zones.lo; i < zones.hi; ++i) {
      tree.nodes_[below[i]].parent = number;
      below[i] = number;
    }
    tree.nodes_.push_back({std::move(name), zones, number});
  };
  for (std::size_t level = 0; groups != nullptr && level < groups->levels().size(); ++level) {
    for (const ZoneSet::Group& group : groups->groups(level)) put_above(group.name, group.zones);
  }
  put_above(std::string(kWhole), {0, static_cast<std::uint32_t>(names.size())});
  for (std::size_t node = 0; node < tree.size(); ++node) tree.number_.emplace(tree.nodes_[node].name, node);
  return tree;
}

std::optional<std::size_t> SumTree::find(std::string_view name) const {
  const auto at = number_.find(std::string(name));
  return at == number_.end() ? std::nullopt : std::optional(at->second);
}

std::string SumTree::called(std::size_t node) const {
  if (node == whole()) return "all zones";
  return (node < zones_ ? "zone \"" : "group \"") + nodes_[node].name + "\"";
}

std::vector<std::string> SumTree::names() const {
  std::vector<std::string> list;
  for (std::size_t node = 0; node < whole(); ++node) list.push_back(nodes_[node].name);
  return list;
}

}  // namespace stopover
