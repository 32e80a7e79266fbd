#include "question/zone_shares.h"

#include <algorithm>

#include "geo/fixed_area.h"

namespace stopover {
namespace {

struct Extent {
  double west = 1e9, south = 1e9, east = -1e9, north = -1e9;
  void add(const Ring& ring) {
    for (const PlanePoint& p : ring) {
      west = std::min(west, p.x), east = std::max(east, p.x);
      south = std::min(south, p.y), north = std::max(north, p.y);
    }
  }
  bool meets(const Extent& o) const { return west < o.east && o.west < east && south < o.north && o.south < north; }
  bool holds(const PlanePoint& p) const { return p.x >= west && p.x <= east && p.y >= south && p.y <= north; }
};

Extent extent_of(const std::vector<std::vector<Ring>>& polygons) {
  Extent extent;
  for (const std::vector<Ring>& polygon : polygons) extent.add(polygon[0]);
  return extent;
}

// Shares this near to nothing or all are rounding.
double settled(double share) { return share < 1e-9 ? 0 : share > 1 - 1e-9 ? 1 : share; }

}  // namespace

ZoneShares shares_of(const ZoneSet& zones, const Shape& asked) {
  ZoneShares shares;
  shares.line.x = {0, static_cast<std::uint32_t>(zones.size())};
  shares.line.y = {0, 1};
  shares.line.weights.assign(zones.size(), 0);
  if (asked.empty()) return shares;
  const Extent around = extent_of(asked.polygons);
  const FixedArea fixed(asked.polygons);
  for (std::size_t i = 0; i < zones.size(); ++i) {
    const ZoneRecord& zone = zones[i];
    double share = 0;
    if (zones.form() == ZoneForm::points) {
      share = around.holds(zone.place) && fixed.contains(FixedPoint::of(zone.place.x, zone.place.y)) ? 1 : 0;
    } else if (around.meets(extent_of(zone.polygons))) {
      const Shape whole{zone.polygons};
      share = settled(area(intersection(whole, asked)) / area(whole));
    }
    shares.line.weights[i] = share;
    shares.touched += share > 0 ? 1 : 0;
    shares.cut += share > 0 && share < 1 ? 1 : 0;
  }
  return shares;
}

}  // namespace stopover
