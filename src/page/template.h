// What was built in web/ and is part of the program; both empty if it was built without.
#pragma once

#include <string_view>

namespace stopover {

std::string_view page_template();
// As cut_basemap reads it.
std::string_view world_map();

}  // namespace stopover
