// Basemap: coasts, borders and towns of the world (Natural Earth, public domain), cut to a box. What the explorer draws
// under and over a release; part of the program, so no tile is ever fetched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/degree_box.h"

namespace stopover {

// Longitude and latitude in turn, in ten-thousandths of a degree: the first pair as it is, then steps.
using BasemapLine = std::vector<std::int32_t>;

struct BasemapTown {
  std::string name;
  double lon = 0, lat = 0;
};

struct Basemap {
  std::vector<BasemapLine> land;     // closed rings, holes among them (even-odd)
  std::vector<BasemapLine> borders;  // open lines
  std::vector<BasemapTown> towns;    // the largest first, at most kMostTowns
  static constexpr std::size_t kMostTowns = 80;
};

// What lies in the box, no finer than a 2000th of it. `bytes`: as web/basemap.mjs writes them; anything else gives
// nothing.
Basemap cut_basemap(std::string_view bytes, const DegreeBox& box);

}  // namespace stopover
