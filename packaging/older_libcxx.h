// For scripts/check-libcxx alone: libc++ 19, Debian 12's newest, does not declare reading of floating point numbers by
// std::from_chars, which is C++17's; libc++ 20 does. Nothing is linked with this.
#pragma once

#include <charconv>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
namespace std {
from_chars_result from_chars(const char* first, const char* last, double& value,
                             chars_format format = chars_format::general);
}
#endif
