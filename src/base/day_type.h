// DayType: days of the week that are counted together, as weekdays are.
//
//   weekday,weekend        weekday,saturday,sunday        weekday
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace stopover {

struct DayType {
  std::string name;
  std::uint8_t days = 0;               // a bit for each, Monday's the lowest
  bool holds(std::int64_t day) const;  // counted from 1970-01-01
  bool operator==(const DayType&) const = default;
};

// Names with commas between them: weekday (Monday to Friday), weekend, monday, ..., sunday. Fails (usage) on any other
// name, and where two of them have a day in common.
Result<std::vector<DayType>> parse_day_types(std::string_view text);

}  // namespace stopover
