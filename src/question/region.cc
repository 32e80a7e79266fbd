#include "question/region.h"

#include <algorithm>

#include "base/check.h"
#include "question/region_kind.h"

namespace stopover {

RegionTree RegionTree::leaf(std::string_view kind, RegionValue value) {
  RegionTree region;
  region.node = Node::leaf;
  region.kind = find_region_kind(kind);
  STOPOVER_CHECK(region.kind != nullptr && fits(*region.kind, value), "no such region");
  region.value = std::move(value);
  return region;
}

RegionTree RegionTree::any_of(std::vector<RegionTree> parts) {
  STOPOVER_CHECK(!parts.empty(), "nothing to join");
  RegionTree& first = parts[0];
  const bool one_list = std::all_of(parts.begin(), parts.end(), [&](const RegionTree& part) {
    return part.node == Node::leaf && part.kind == first.kind && part.kind->lists;
  });
  if (!one_list) return join(Node::any_of, std::move(parts));
  // Each name once, where it came first: the order of a list is the order in which it was asked.
  const auto take = [](auto& to, const auto& from) {
    for (const auto& one : from) {
      if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
    }
  };
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (auto* texts = std::get_if<RegionTexts>(&first.value)) {
      take(*texts, std::get<RegionTexts>(parts[i].value));
    } else {
      take(std::get<RegionRows>(first.value), std::get<RegionRows>(parts[i].value));
    }
  }
  return std::move(first);
}

RegionTree RegionTree::join(Node node, std::vector<RegionTree> parts) {
  STOPOVER_CHECK(node == Node::all_of || !parts.empty(), "nothing to join");
  if (parts.size() == 1) return std::move(parts[0]);
  RegionTree region;
  region.node = node;
  region.parts = std::move(parts);
  return region;
}

}  // namespace stopover
