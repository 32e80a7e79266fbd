#include "exports/day_hours.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/usage_error.h"

namespace stopover {
namespace {

std::optional<std::uint32_t> small_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || text.size() > 2) return {};
  return value;
}

std::optional<std::uint32_t> second_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::optional<std::uint32_t> hour = small_number(text.substr(0, colon));
  std::optional<std::uint32_t> minute = 0;
  if (colon != std::string_view::npos) minute = small_number(text.substr(colon + 1));
  if (!hour || !minute || *minute > 59 || *hour * 60 + *minute > 24 * 60) return {};
  return *hour * 3600 + *minute * 60;
}

}  // namespace

Result<DayHours> DayHours::parse(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    const std::optional<std::uint32_t> begin = second_of(text.substr(0, dash)), end = second_of(text.substr(dash + 1));
    if (begin && end && *begin < *end) return DayHours{*begin, *end};
  }
  return usage_error(
      fmt::format("`hours` must be a part of the day, not \"{}\"\n  As in `hours 7-9` or `hours 16:30-19`", text));
}

std::string DayHours::text() const {
  const auto minute = [](std::uint32_t s) { return fmt::format("{:02}:{:02}", s / 3600, s / 60 % 60); };
  return minute(begin) + "-" + minute(end);
}

std::string clock_text(std::uint32_t second) {
  return fmt::format("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
}

}  // namespace stopover
