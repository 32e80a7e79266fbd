// DegreeBox: a box on the map, in degrees of longitude and latitude.
#pragma once

namespace stopover {

struct DegreeBox {
  double west = 0, south = 0, east = 0, north = 0;

  // Whether all edges are; says nothing of their order.
  bool on_globe() const { return west >= -180 && east <= 180 && south >= -90 && north <= 90; }
};

}  // namespace stopover
