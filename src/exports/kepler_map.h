// A map for kepler.gl: data sets and how to show them in one JSON document, as kepler.gl saves and opens maps itself
// ("Export Map > JSON"; version v1 of its schema).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace stopover {

struct KeplerLayer {
  enum class Kind { areas, flows };

  std::string name;
  Kind kind = Kind::areas;
  // A GeoJSON FeatureCollection. Areas: polygons, coloured by a number. Flows: lines, drawn as arcs from their first to
  // their last point; points are left out.
  std::string geojson;
  std::string value;    // the property that is shown
  bool visible = true;  // at first
};

// `card`: JSON text, kept as the member `stopover`. `date`: YYYY-MM-DD. Fails (internal) where a layer is no GeoJSON.
// REQUIRES: at least one layer with a feature.
Result<std::string> kepler_map(const std::vector<KeplerLayer>& layers, const std::string& title,
                               const std::string& date, const std::string& card);

}  // namespace stopover
