// 128-bit integers: volumes of boxes (1000^8 cells) and exact products of counts and budgets.
#pragma once

#include <string>

namespace stopover {

using u128 = unsigned __int128;
using i128 = __int128;

// Decimal digits.
std::string to_string(u128 value);

}  // namespace stopover
