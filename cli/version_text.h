// What `--version --json` prints: the version, the commit it was built from, with what, and what it can do.
#pragma once
#include <string>
#include <string_view>

namespace stopover {

// One line of JSON for the program of this name.
std::string version_json(std::string_view program);

}  // namespace stopover
