#include "job/figure_text.h"

#include <charconv>
#include <cstdio>

namespace stopover {

std::string number_text(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.12g", value == 0 ? 0.0 : value);  // no "-0"
  return buffer;
}

double rounded(double value) {
  const std::string text = number_text(value);
  double result = value;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

}  // namespace stopover
