// Keys that can be repeated, for tests and stopover-lab alone.
//
// A release made with one of these is not private: whoever knows the name can subtract the noise.
#pragma once

#include <string_view>

#include "privacy/entropy.h"

namespace stopover {

// SHA-256 of "stopover test key " followed by the name.
ReleaseKey test_key(std::string_view name);

}  // namespace stopover
