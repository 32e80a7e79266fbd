// A GeoPackage (OGC 12-128, version 1.3): layers in one SQLite file, as QGIS and GDAL open them, with QGIS styles.
//
//   const std::vector<PackageLayer> layers = {{"flows", "flows by estimated trips", flows_geojson, LayerStyle::lines}};
//   Result<std::string> bytes = geo_package(layers, card, "2025-03-01");
//
// Layers are made of GeoJSON texts (geo_layers.h, feature_writer.h): one row per feature, one column per property. The
// card stands in the table `stopover`. The same layers give the same bytes with the same SQLite.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace stopover {

enum class LayerStyle {
  lines,  // width by the layer's column
  areas,  // colour by it, in classes of as many rows each
};

struct PackageLayer {
  std::string name;         // a word
  std::string description;  // a few
  std::string geojson;      // a FeatureCollection whose features have the same properties, in one order
  LayerStyle style = LayerStyle::areas;
  std::string column = "estimate";  // by which it is drawn
};

// The bytes of the file. Features that are points where the layer is one of lines (flows that stay where they are) go
// into a layer NAME_stays. A layer without features is left out. `date`: YYYY-MM-DD, or "". Fails: bad_input on other
// texts, internal.
Result<std::string> geo_package(const std::vector<PackageLayer>& layers, const std::string& card,
                                const std::string& date);

}  // namespace stopover
