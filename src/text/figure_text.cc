#include "text/figure_text.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "base/grouped.h"

namespace stopover {

std::string number_text(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.12g", value == 0 ? 0.0 : value);  // no "-0"
  return buffer;
}

std::string figure_text(double value) {
  if (!std::isfinite(value)) return "unknown";
  const double shown = rounded(value);  // as others see it who read the digits in JSON
  const double size = std::abs(shown);
  if (size >= 1e15) return number_text(shown);
  if (size >= 100) return (shown < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(std::nearbyint(size)));
  if (size < 0.0005) return "0";  // of a trip: nobody needs its digits
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.3g", shown);
  return buffer;
}

std::string share_text(double share) { return figure_text(100 * rounded(share)) + " %"; }

double rounded(double value) {
  const std::string text = number_text(value);
  double result = value;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

}  // namespace stopover
