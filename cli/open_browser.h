// Starts the desktop's browser, if there is one, and does not wait for it.
#pragma once

#include <string>

namespace stopover {

void open_browser(const std::string& url);

}  // namespace stopover
