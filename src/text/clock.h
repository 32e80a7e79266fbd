// The time, as it is written down.
#pragma once

#include <string>

namespace stopover {

// 2025-03-01T09:30:00Z
std::string utc_now();

}  // namespace stopover
