// Normal: how far a standard normal variable reaches, the same on every machine.
#pragma once

namespace stopover {

// The z with P(|normal| <= z) = level. REQUIRES: 0 < level < 1. At most 9.
double normal_half_width(double level);

}  // namespace stopover
