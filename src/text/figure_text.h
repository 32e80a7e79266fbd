// Numbers for people.
#pragma once

#include <string>

namespace stopover {

// At most 12 significant digits, so that every face prints the same: 12.5, -3, 1e+20.
std::string number_text(double value);
// Rounded for reading: 1,494 rather than 1494.26398716, and below 100 three significant digits: 12.3, 0.0123. JSON and
// files have number_text's digits instead. "unknown" where there is no number.
std::string figure_text(double value);
// A share as percent, rounded as figure_text: 0.12345 is "12.3 %".
std::string share_text(double share);
// The double that number_text shows.
double rounded(double value);

}  // namespace stopover
