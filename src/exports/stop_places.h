// StopPlaces: where the stops of a domain are on the globe: for each its longitude and its latitude axis.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "domain/domain.h"

namespace stopover {

struct StopPlace {
  std::size_t lon = 0, lat = 0;  // axes
};

// Degrees.
struct GeoBox {
  double west = 0, south = 0, east = 0, north = 0;
};

// One per stop. Fails (bad_input) naming the first stop that has no longitude or no latitude.
Result<std::vector<StopPlace>> stop_places(const Domain& domain);

GeoBox geo_box(const Domain& domain, const StopPlace& place, Interval x, Interval y);
inline GeoBox geo_box(const Domain& domain, const StopPlace& place, const Box& box) {
  return geo_box(domain, place, box[place.lon], box[place.lat]);
}

}  // namespace stopover
