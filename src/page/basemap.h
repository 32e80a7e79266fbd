// Basemap: coasts and borders of the world (Natural Earth, public domain), cut to a box. What the explorer draws under
// a release; part of the program, so no tile is ever fetched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/degree_box.h"

namespace stopover {

// Longitude and latitude in turn, in ten-thousandths of a degree: the first pair as it is, then steps.
using BasemapLine = std::vector<std::int32_t>;

struct Basemap {
  std::vector<BasemapLine> land;     // closed rings, holes among them (even-odd)
  std::vector<BasemapLine> borders;  // open lines
};

// What lies in the box, no finer than a 2000th of it. `bytes`: as web/basemap.mjs writes them; anything else gives
// nothing.
Basemap cut_basemap(std::string_view bytes, const DegreeBox& box);

}  // namespace stopover
