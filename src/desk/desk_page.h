// The desk's page, built in web/ and part of the program; empty if it was built without.
#pragma once

#include <string_view>

namespace stopover {

std::string_view desk_page();

}  // namespace stopover
