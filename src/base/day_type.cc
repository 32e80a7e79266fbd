#include "base/day_type.h"

#include "base/split.h"
#include "base/usage_error.h"

namespace stopover {
namespace {

constexpr struct {
  const char* name;
  std::uint8_t days;
} kTypes[] = {{"weekday", 0b0011111}, {"weekend", 0b1100000},   {"monday", 0b0000001},
              {"tuesday", 0b0000010}, {"wednesday", 0b0000100}, {"thursday", 0b0001000},
              {"friday", 0b0010000},  {"saturday", 0b0100000},  {"sunday", 0b1000000}};

}  // namespace

bool DayType::holds(std::int64_t day) const {
  const std::int64_t of_week = ((day + 3) % 7 + 7) % 7;  // 1970-01-01 was a Thursday
  return (days >> of_week & 1) != 0;
}

Result<std::vector<DayType>> parse_day_types(std::string_view text) {
  std::vector<DayType> types;
  std::uint8_t taken = 0;
  for (const std::string& name : split(std::string(text), ',')) {
    std::uint8_t days = 0;
    for (const auto& type : kTypes) days = name == type.name ? type.days : days;
    if (days == 0) {
      return usage_error("`day_type` has weekday, weekend, monday, ..., sunday, with commas between them, not \"" +
                         name + "\"");
    }
    if ((taken & days) != 0) {
      return usage_error("`day_type " + std::string(text) + "`: " + name +
                         " has a day of another one\n  A trip lies in one release of its period.");
    }
    taken |= days;
    types.push_back({name, days});
  }
  return types;
}

}  // namespace stopover
