// A circle on the globe: all places within a great-circle distance, as rings of longitude and latitude.
//
// The Earth is a sphere of 6371.0088 km (its mean radius); a geodesic on the ellipsoid differs by at most 0.56 %. The
// edge is followed by points on circles about the centre; between two of them it is straight in longitude and latitude.
// Points stand a little outside so that the area is right, and no place on the edge is further than `error` x radius
// from the true circle (circle_error), which with enough points is a thousandth of a cell.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "query/coverage.h"

namespace stopover {

inline constexpr double kEarthRadiusKm = 6371.0088;

struct Circle {
  double lat = 0, lon = 0;  // degrees
  double km = 0;

  bool operator==(const Circle&) const = default;
};

// Fails (usage) on a radius that is not above 0 or beyond half the Earth's circumference, and on a centre that is not
// on the globe; says so if latitude and longitude seem to be swapped.
Status check_circle(const Circle& circle);

// Great-circle distance.
double distance_km(double lat1, double lon1, double lat2, double lon2);

// Rings of (longitude, latitude) in degrees, counterclockwise, that do not overlap. Longitudes go on beyond 180 and
// below
// -180: shift by 360 to see the same places. A circle around a pole has a ring for the cap. `half_points`: points from
// the northernmost to the southernmost place of the edge. REQUIRES: check_circle passes; half_points >= 2.
std::vector<Ring> circle_rings(const Circle& circle, std::size_t half_points);

// The points that keep the edge within 1/1000 of a cell of `degrees_per_cell` (the smaller one), 16 to 2048.
std::size_t circle_points(const Circle& circle, double degrees_per_cell);
// The furthest the edge may be from the true circle, as a share of the radius.
double circle_error(std::size_t half_points);

}  // namespace stopover
