// InfoPage: a release told on a page: headings with sentences, lists and tables, before it is Markdown or HTML.
#pragma once

#include <string>
#include <vector>

#include "job/info_form.h"

namespace stopover {

struct InfoSection {
  std::string heading;
  std::string text;                            // a paragraph; may be empty
  std::vector<std::string> points;             // a list; may be empty
  std::vector<std::vector<std::string>> rows;  // a table, its head first; may be empty
};

struct InfoPage {
  std::string title;
  std::string promise;     // the card's first line
  bool is_private = true;  // else the promise is a warning
  std::string warning;     // that it was superseded; "" where it stands
  std::vector<InfoSection> sections;
};

InfoPage info_page(const InfoSource& source);

// What the release is called: its declared title, or the name of its file.
std::string info_title(const InfoSource& source);

}  // namespace stopover
