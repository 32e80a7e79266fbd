// The error of rows or files that cannot be what they should be: exit code 3 on the command line.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace stopover {

inline Error bad_input(std::string message) { return {Failure::bad_input, std::move(message)}; }

}  // namespace stopover
