// Texts in HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace stopover {

// & < > " as entities: safe between tags and in attributes.
std::string escape_markup(std::string_view text);

}  // namespace stopover
