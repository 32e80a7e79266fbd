// Programs of others, asked for what they are.
#pragma once

#include <string>
#include <vector>

namespace stopover {

// Where the shell would find it: the path itself if it has a slash, else the first of the folders in PATH; "" if it is
// nowhere.
std::string program_path(const std::string& name);

// What a program says on stdout and stderr; "" if it cannot be started, fails or takes more than `seconds`. Its stdin
// is empty.
std::string said_by(std::vector<std::string> words, int seconds);

}  // namespace stopover
