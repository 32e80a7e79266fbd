#include "question/twelve_digits.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace stopover {

double twelve_digits(double value) {
  if (value - value != 0) return value;
  if (value < 1e11 && value > -1e11 && value == static_cast<double>(static_cast<std::int64_t>(value)))
    return value + 0.0;
  char text[40];
  std::snprintf(text, sizeof text, "%.12g", value);
  return std::strtod(text, nullptr) + 0.0;
}

}  // namespace stopover
