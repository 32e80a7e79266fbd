// FixedArea: an area of the map in whole billionths of a degree (0.1 mm), asked whether points lie in it. Exact: all
// arithmetic is on integers, so the answer is the same on every machine.
//
//   const FixedArea area(zone.polygons);
//   bool inside = area.contains(FixedPoint::of(lng, lat));
//
// The border rule of `contains`: a point on a border belongs to what lies east of it, and on a border that runs exactly
// east to west to what lies north of it; at a corner to the area that the point would be in after a tiny step east and
// a far tinier one north. Of areas that share borders and fill a surface, exactly one contains each point of it, as
// each point is in one cell [lo, hi) of a grid. Directions of rings do not matter: what lies in an odd number of rings
// is inside.
//
// Positions are rounded to the nearest billionth of a degree, corners and points alike. Corners that two areas share
// stay shared. Where a corner of one area lies on an edge of the other that has no corner there, the two lines may part
// by that much.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "domain/plane_point.h"

namespace stopover {

struct FixedPoint {
  std::int64_t x = 0, y = 0;
  bool operator==(const FixedPoint&) const = default;

  // REQUIRES: |lng| and |lat| are at most 360.
  static FixedPoint of(double lng, double lat) { return {rounded(lng), rounded(lat)}; }

 private:
  static std::int64_t rounded(double degrees) {
    const double units = degrees * 1e9;
    return static_cast<std::int64_t>(units + (units < 0 ? -0.5 : 0.5));
  }
};

// -1: c lies to the right of the way from a to b; 0: on the line through both; 1: to the left.
int side_of(const FixedPoint& a, const FixedPoint& b, const FixedPoint& c);

// Both ends included.
struct FixedBox {
  FixedPoint lo, hi;
  bool touches(const FixedBox& other) const {
    return lo.x <= other.hi.x && other.lo.x <= hi.x && lo.y <= other.hi.y && other.lo.y <= hi.y;
  }
  bool holds(const FixedPoint& p) const { return p.x >= lo.x && p.x <= hi.x && p.y >= lo.y && p.y <= hi.y; }
};

struct FixedEdge {
  FixedPoint a, b;
  FixedBox box() const;
  bool operator==(const FixedEdge&) const = default;
};

class FixedArea {
 public:
  FixedArea() = default;
  // Each an outer ring, then its holes. REQUIRES: not empty, positions on the globe.
  explicit FixedArea(const std::vector<std::vector<Ring>>& polygons);

  bool contains(const FixedPoint& p) const;
  enum class Place { outside, border, inside };
  Place place_of(const FixedPoint& p) const;

  const FixedBox& box() const { return box_; }
  std::vector<FixedEdge> edges() const;
  // A point in the area, away from its border where there is room.
  FixedPoint inner_point() const;

 private:
  // Positions of all rings, each ring closed; a ring's last position starts no edge. Edges are in bands of latitude of
  // height 2^shift_ above box_.lo.y: band i holds the edges band_edges_[bands_[i] .. bands_[i + 1]), by the number of
  // their first position, so that a question looks at few of them.
  std::vector<FixedPoint> positions_;
  std::vector<std::uint32_t> bands_, band_edges_;
  std::vector<std::uint32_t> ring_starts_;  // and the end
  FixedBox box_;
  int shift_ = 0;
};

}  // namespace stopover
