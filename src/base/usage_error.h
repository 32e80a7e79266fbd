// What cannot be meant: the error of a bad flag, argument or member.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace stopover {

inline Error usage_error(std::string message) { return {Failure::usage, std::move(message)}; }

}  // namespace stopover
