#include "mechanism/zone_hierarchy.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace stopover {

ZoneHierarchy::ZoneHierarchy(const Domain& domain, std::size_t axis) : zones_(domain.axis(axis).cells) {
  const ZoneSet* zones = domain.axis(axis).kind == AxisKind::zone ? domain.zones() : nullptr;
  if (!zones) return;
  for (std::size_t level = zones->levels().size(); level-- > 0;) {
    std::vector<std::uint32_t>& borders = borders_.emplace_back();
    for (const ZoneSet::Group& group : zones->groups(level)) borders.push_back(group.zones.lo);
  }
}

std::uint32_t ZoneHierarchy::cut(Interval range) const {
  STOPOVER_CHECK(range.width() >= 2, "one zone cannot be cut");
  const std::uint32_t middle = range.lo + range.width() / 2, slack = range.width() / 8;
  for (const std::vector<std::uint32_t>& borders : borders_) {
    const auto above = std::lower_bound(borders.begin(), borders.end(), middle);
    std::uint32_t best = range.lo;  // none
    const auto consider = [&](std::uint32_t border) {
      const std::uint32_t off = border > middle ? border - middle : middle - border;
      const std::uint32_t best_off = best > middle ? best - middle : middle - best;
      if (off <= slack && off < best_off) best = border;
    };
    if (above != borders.begin()) consider(*(above - 1));
    if (above != borders.end()) consider(*above);
    if (best != range.lo) return best;
  }
  return middle;
}

std::vector<std::uint32_t> ZoneHierarchy::edges(int depth) const { return halved({0, zones_}, depth); }

std::vector<std::uint32_t> ZoneHierarchy::edges_within(std::size_t level, int depth) const {
  std::vector<std::uint32_t> edges = borders_[level];
  edges.push_back(zones_);
  return halved(std::move(edges), depth);
}

std::vector<std::uint32_t> ZoneHierarchy::halved(std::vector<std::uint32_t> edges, int depth) const {
  for (int level = 0; level < depth; ++level) {
    std::vector<std::uint32_t> finer = {0};
    for (std::size_t i = 1; i < edges.size(); ++i) {
      if (edges[i] - edges[i - 1] >= 2) finer.push_back(cut({edges[i - 1], edges[i]}));
      finer.push_back(edges[i]);
    }
    edges = std::move(finer);
  }
  return edges;
}

}  // namespace stopover
