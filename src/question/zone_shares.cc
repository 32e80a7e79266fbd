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

// What of it lies beyond 180 degrees, a turn of the globe away, where zones are.
Shape turned(const Shape& shape, double degrees) {
  Shape copy = shape;
  for (std::vector<Ring>& polygon : copy.polygons) {
    for (Ring& ring : polygon) {
      for (PlanePoint& p : ring) p.x += degrees;
    }
  }
  return copy;
}

ZoneShares add_up(ZoneShares a, const ZoneShares& b) {
  a.touched = a.cut = 0;
  for (std::size_t i = 0; i < a.line.weights.size(); ++i) {
    double& share = a.line.weights[i];
    share = std::min(1.0, share + b.line.weights[i]);
    a.touched += share > 0 ? 1 : 0;
    a.cut += share > 0 && share < 1 ? 1 : 0;
  }
  return a;
}

ZoneShares shares_on_map(const ZoneSet& zones, const Shape& asked) {
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

}  // namespace

ZoneShares shares_of(const ZoneSet& zones, const Shape& asked) {
  ZoneShares shares = shares_on_map(zones, asked);
  if (asked.empty()) return shares;
  const Extent around = extent_of(asked.polygons);
  if (around.west < -180) shares = add_up(std::move(shares), shares_on_map(zones, turned(asked, 360)));
  if (around.east > 180) shares = add_up(std::move(shares), shares_on_map(zones, turned(asked, -360)));
  return shares;
}

}  // namespace stopover
