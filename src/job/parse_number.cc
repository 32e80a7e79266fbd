#include "job/parse_number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/usage_error.h"

namespace stopover {

Result<std::uint64_t> parse_whole_number(std::string_view field, std::string_view text, std::uint64_t min,
                                         std::uint64_t max) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && value >= min && value <= max) return value;
  return usage_error(fmt::format("`{}` must be a whole number from {} to {}, not \"{}\"", field, min, max, text));
}

Result<double> parse_decimal(std::string_view field, std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value)) return value;
  return usage_error(fmt::format("`{}` must be a number such as 1.5, not \"{}\"", field, text));
}

}  // namespace stopover
