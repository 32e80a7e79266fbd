// The public hierarchy over the zones of one axis: ranges, halved again and again. Depends on the domain alone.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/domain.h"

namespace stopover {

class ZoneHierarchy {
 public:
  // Of an axis of the domain. Where the axis has a geography with levels (districts, regions), cuts are moved to the
  // border of a group that lies in the middle quarter of a range, of the largest groups first, so that a node is a
  // union of groups where that costs nothing.
  ZoneHierarchy(const Domain& domain, std::size_t axis);

  std::uint32_t zones() const { return zones_; }
  // Where a range is cut in two. REQUIRES: at least two zones.
  std::uint32_t cut(Interval range) const;
  // The edges of the nodes of a depth: 0, ..., zones. At most 2^depth nodes; a single zone is not cut.
  std::vector<std::uint32_t> edges(int depth) const;

  // The levels of declared groups, the largest groups first, and the edges of the nodes that come of halving the
  // groups of one of them so often.
  std::size_t levels() const { return borders_.size(); }
  std::vector<std::uint32_t> edges_within(std::size_t level, int depth) const;

 private:
  std::vector<std::uint32_t> halved(std::vector<std::uint32_t> edges, int depth) const;

  std::uint32_t zones_;
  std::vector<std::vector<std::uint32_t>> borders_;  // where groups begin, the largest groups first; ascending
};

}  // namespace stopover
