// TripCentres: where on the map the trips of a partition are at a stop, as one place: what flows are drawn between.
//
//   TripCentres centres(model, places);
//   GeoPoint from = centres.of(0, model.box(leaf));
//
// The middle of a partition as wide as the city may be in the river. Its trips are where trips of that stop are: the
// centre of mass, within the partition's rectangle, of all that the release tells of the stop. That is the stop's own
// map where there is one, else the estimates of all partitions, each spread evenly over its rectangle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exports/stop_places.h"
#include "exports/trip_model.h"
#include "release/stop_map.h"

namespace stopover {

struct GeoPoint {
  double lon = 0, lat = 0;
  bool operator==(const GeoPoint&) const = default;
};

class TripCentres {
 public:
  // One per stop. Keeps nothing of the model.
  TripCentres(const TripModel& model, const std::vector<StopPlace>& places);

  GeoPoint of(std::size_t stop, const Box& box) const;

 private:
  // A stop in at most kTiles tiles per side, each of whole cells or of a part of the axis.
  struct Layer {
    StopPlace place;
    double cells_lon, cells_lat;  // of a tile
    StopMap density;              // longitude first
  };
  static constexpr std::uint32_t kTiles = 256;

  Domain domain_;
  std::vector<Layer> layers_;
};

}  // namespace stopover
