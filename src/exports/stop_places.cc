#include "exports/stop_places.h"

#include <fmt/format.h>

namespace stopover {

Result<std::vector<StopPlace>> stop_places(const Domain& domain) {
  std::vector<StopPlace> places;
  for (const Stop& stop : domain.stops()) {
    std::size_t lon = kMaxAxes, lat = kMaxAxes;
    for (const std::size_t axis : stop.axes) {
      if (domain.axis(axis).kind == AxisKind::longitude) lon = axis;
      if (domain.axis(axis).kind == AxisKind::latitude) lat = axis;
    }
    if (domain.zones() != nullptr) {
      return Error{Failure::bad_input,
                   fmt::format("{} is zones, not a grid of longitude and latitude\n  Of zones there are `as zones`, "
                               "omx, sumo, gpkg, kepler, flowmap and geojson with `layer zones` or `layer flows`.",
                               stop.name)};
    }
    if (lon == kMaxAxes || lat == kMaxAxes) {
      return Error{Failure::bad_input, fmt::format("{} is not a place on a map: it has no longitude and latitude\n  "
                                                   "Publish with "
                                                   "`bbox W,S,E,N`, or export `as csv` or parquet.",
                                                   stop.name)};
    }
    places.push_back({lon, lat});
  }
  return places;
}

GeoBox geo_box(const Domain& domain, const StopPlace& place, Interval x, Interval y) {
  const Axis& lon = domain.axis(place.lon);
  const Axis& lat = domain.axis(place.lat);
  return {lon.edge(x.lo), lat.edge(y.lo), lon.edge(x.hi), lat.edge(y.hi)};
}

}  // namespace stopover
