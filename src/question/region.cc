#include "question/region.h"

#include "base/check.h"
#include "question/region_kind.h"

namespace stopover {

Region Region::leaf(std::string_view kind, RegionValue value) {
  Region region;
  region.node = Node::leaf;
  region.kind = find_region_kind(kind);
  STOPOVER_CHECK(region.kind != nullptr && fits(*region.kind, value), "no such region");
  region.value = std::move(value);
  return region;
}

Region Region::join(Node node, std::vector<Region> parts) {
  STOPOVER_CHECK(node == Node::all_of || !parts.empty(), "nothing to join");
  if (parts.size() == 1) return std::move(parts[0]);
  Region region;
  region.node = node;
  region.parts = std::move(parts);
  return region;
}

}  // namespace stopover
