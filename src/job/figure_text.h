// Numbers for people.
#pragma once

#include <string>

namespace stopover {

// At most 12 significant digits, so that every face prints the same: 12.5, -3, 1e+20.
std::string number_text(double value);
// The double that number_text shows.
double rounded(double value);

}  // namespace stopover
