// A point of a plane and closed lines of them: longitude and latitude in degrees, or cells along two axes.
#pragma once

#include <vector>

namespace stopover {

struct PlanePoint {
  double x = 0, y = 0;
  bool operator==(const PlanePoint&) const = default;
};

// A closed line of straight edges; the last point joins the first, which may stand there again.
using Ring = std::vector<PlanePoint>;

}  // namespace stopover
