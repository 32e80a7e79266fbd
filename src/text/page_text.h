// A page of the guide, which is Markdown, as lines of 80 columns for a terminal.
//
//   page_text("# Title\n\nA **word**, a [page](zones.md).\n", Paper())
//
// It knows what our pages have: headings, paragraphs, lists, tables, indented code, `code`, **strong** and links. Text
// is filled anew; cells of a table are broken within their columns; long lines of code are broken at blanks. Pictures
// are left out. Of a link the text stays, and where it leads if the text does not say so.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/paper.h"

namespace stopover {

std::string page_text(std::string_view markdown, const Paper& paper, std::size_t width = 80);

}  // namespace stopover
