// DayHours: a part of the day that trips are said to begin in, where a release does not tell: "7-9", "07:00-09:30".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stopover {

struct DayHours {
  std::uint32_t begin = 0, end = 24 * 3600;  // seconds since midnight

  // Fails (usage), naming the text.
  static Result<DayHours> parse(std::string_view text);
  std::string text() const;  // "07:00-09:30"
};

// "07:05:09"
std::string clock_text(std::uint32_t second);

}  // namespace stopover
