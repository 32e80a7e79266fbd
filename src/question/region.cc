#include "question/region.h"

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

RegionTree RegionTree::join(Node node, std::vector<RegionTree> parts) {
  STOPOVER_CHECK(node == Node::all_of || !parts.empty(), "nothing to join");
  if (parts.size() == 1) return std::move(parts[0]);
  RegionTree region;
  region.node = node;
  region.parts = std::move(parts);
  return region;
}

}  // namespace stopover
