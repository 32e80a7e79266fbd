// What was built in web/ and is part of the program; all empty if it was built without.
#pragma once

#include <string_view>

namespace stopover {

std::string_view page_template();
// The script that draws map tiles, and how the page's policy names it.
struct TileScript {
  std::string_view hash, text;
};
TileScript tile_script();
// As cut_basemap reads it.
std::string_view world_map();

}  // namespace stopover
