#include "query/region_query.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "query/edge_doubt.h"

namespace stopover {

Plane make_plane(const BoxIndex& index, std::size_t x, std::size_t y, const Coverage& coverage) {
  Plane plane{x, y, kMaxAxes, 0, nullptr};
  const StopMap* map = nullptr;
  if (index.maps() != nullptr) {
    plane.map = index.maps()->find(x, y);
    STOPOVER_CHECK(plane.map != kMaxAxes, "a region must have the axes of a map");
    map = &index.maps()->map(plane.map);
  }
  if (index.doubts() != nullptr && y == kMaxAxes) plane.doubt = index.doubts()->of(x, coverage);
  plane.sums = std::make_shared<PlaneSums>(coverage, map);
  plane.edge = edge_doubt(coverage, map);
  plane.area = coverage.area();
  return plane;
}

void RegionQuery::add(Plane plane) {
  const auto narrow = [&](std::size_t axis, Interval to) {
    box.lo[axis] = std::max<double>(box.lo[axis], to.lo);
    box.hi[axis] = std::min<double>(box.hi[axis], to.hi);
  };
  narrow(plane.x, plane.sums->x());
  if (plane.y < kMaxAxes) narrow(plane.y, plane.sums->y());
  const auto at = std::find_if(planes.begin(), planes.end(), [&](const Plane& p) { return p.x > plane.x; });
  planes.insert(at, std::move(plane));
}

}  // namespace stopover
