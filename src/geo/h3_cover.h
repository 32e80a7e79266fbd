// The cells of H3 (geo/h3_cell.h) that a box on the map has a part of, as zones.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/degree_box.h"

namespace stopover {

inline constexpr int kFinestH3 = 15;

// Ids of the cells of one resolution, ascending. Fails (bad_input) where there are more than `most`, saying so.
// REQUIRES: 0 <= resolution <= kFinestH3; the box is on the globe, not beyond 80 degrees north or south, and has an
// area.
Result<std::vector<std::string>> h3_cover(const DegreeBox& box, int resolution, std::size_t most);

// A GeoJSON FeatureCollection of cells, with their ids as the property `h3`. Fails (bad_input) for one that is no
// polygon in degrees. REQUIRES: ids of cells.
Result<std::string> h3_geojson(const std::vector<std::string>& ids);

}  // namespace stopover
