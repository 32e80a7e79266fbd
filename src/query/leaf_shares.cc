#include "query/leaf_shares.h"

#include <algorithm>

#include "query/map_walk.h"
#include "query/region_walk.h"

namespace stopover {
namespace {

struct LeafVisitor {
  static constexpr bool kMeasurements = false, kOutside = false;
  const BoxIndex& index;
  std::vector<LeafShare>& shares;
  const MapReach* reach = nullptr;  // of maps
  std::vector<std::uint32_t> open{};

  template <typename Sum>
  void inside(std::uint32_t first, std::uint32_t n, std::uint32_t, Sum) {
    for (std::uint32_t at = first; at < first + n; ++at) {
      open.assign(1, at);
      while (!open.empty()) {
        const std::uint32_t node = open.back();
        open.pop_back();
        const BoxIndex::Node& it = index.nodes()[node];
        if (it.children == 0) add(node, 1, false);
        for (std::uint32_t i = 0; i < it.children; ++i) open.push_back(it.first + i);
      }
    }
  }
  template <typename Sum>
  void cut(std::uint32_t first, std::uint32_t n, double share, std::uint32_t, Sum) {
    for (std::uint32_t at = first; at < first + n; ++at) {
      if (share > 0) add(at, share, true);
    }
  }
  void add(std::uint32_t leaf, double share, bool is_cut) {
    const Interval parts = index.parts(leaf);
    if (parts.width() == 0) shares.push_back({leaf, leaf, share});
    for (std::uint32_t part = parts.lo; part < parts.hi; ++part) {
      const double taken = index.part_share(part) * (is_cut ? reach->part_share(part) : 1);
      if (taken > 0) shares.push_back({part, leaf, taken});
    }
  }
};

}  // namespace

std::vector<LeafShare> leaf_shares(const BoxIndex& index, const RegionQuery& query) {
  std::vector<LeafShare> shares;
  if (index.nodes().empty() || query.empty()) return shares;
  WalkSteps steps;
  LeafVisitor visitor{index, shares};
  if (index.maps() != nullptr) {
    TakenPlaces taken;
    const MapReach reach(index, query.box, &query.planes, taken);
    visitor.reach = &reach;
    MapWalk<LeafVisitor>(index, reach, steps, visitor).run();
  } else {
    const RegionReach reach(index, query);
    RegionWalk<LeafVisitor>(index, reach, steps, visitor).run();
  }
  return shares;
}

double plane_share(const BoxIndex& index, std::uint32_t node, const Plane& plane) {
  const Interval x = index.side(node, plane.x);
  const Interval y = plane.y == kMaxAxes ? Interval{0, 1} : index.side(node, plane.y);
  switch (plane.sums->side(x, y)) {
    case PlaneSums::Side::outside:
      return 0;
    case PlaneSums::Side::inside:
      return 1;
    case PlaneSums::Side::border:
      break;
  }
  const double whole = plane.map == kMaxAxes ? 0 : index.maps()->mass(node, plane.map);
  const double share = whole > 0 ? plane.sums->mass(x, y) / whole
                                 : plane.sums->area(x, y) / (static_cast<double>(x.width()) * y.width());
  return std::clamp(share, 0.0, 1.0);
}

}  // namespace stopover
