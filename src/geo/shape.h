// Shape: areas on the map, as polygons with holes in longitude and latitude (degrees, straight edges, as GeoJSON has
// them).
//
// A shape from outside goes through `checked` first: afterwards it is valid, its outer rings counterclockwise, its
// holes clockwise, and intersections and unions of such shapes are again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/plane_point.h"

namespace stopover {

struct Shape {
  std::vector<std::vector<Ring>> polygons;  // the outer ring, then the holes

  bool empty() const { return polygons.empty(); }
  // All rings, as Coverage::of_rings takes them.
  std::vector<Ring> rings() const;

  bool operator==(const Shape&) const = default;
};

// Removes repeated points and spikes and turns rings the right way round. Fails (bad_input) naming `what` and the place
// where a ring crosses itself or another, a hole lies outside, polygons overlap, or nothing has an area.
Result<Shape> checked(const Shape& shape, std::string_view what);

Shape of_box(double west, double south, double east, double north);
// REQUIRES: checked.
Shape intersection(const Shape& a, const Shape& b);
Shape join(const Shape& a, const Shape& b);
// a without b.
Shape difference(const Shape& a, const Shape& b);
std::size_t corners_of(const Shape& shape);
// Square degrees.
double area(const Shape& shape);
// Its centre of mass, in degrees; the same bits on every machine. REQUIRES: checked, not empty.
PlanePoint centroid(const Shape& shape);

}  // namespace stopover
