#include "base/period.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace stopover {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::array<std::string_view, 4> kNames = {"day", "week", "month", "quarter"};
constexpr std::int64_t kFirstYear = 1970, kLastYear = 2099;

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

year_month_day date_of(std::int64_t day) { return {sys_days(days(day))}; }

std::int64_t day_of(std::int64_t year, std::int64_t month, std::int64_t day) {
  const year_month_day date{std::chrono::year(static_cast<int>(year)), std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  return sys_days(date).time_since_epoch().count();
}

// Months from January 1970.
std::int64_t first_of_month(std::int64_t month) {
  return day_of(kFirstYear + floor_div(month, 12), 1 + month - 12 * floor_div(month, 12), 1);
}

// Reads exactly `digits` digits from the front of `text`; nothing if they are not there.
std::optional<std::int64_t> take_number(std::string_view& text, std::size_t digits) {
  std::int64_t value = 0;
  if (text.size() < digits || text.substr(0, digits).find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  std::from_chars(text.data(), text.data() + digits, value);
  text.remove_prefix(digits);
  return value;
}

std::string padded(std::int64_t value, std::size_t digits) {
  std::string text = std::to_string(value);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

}  // namespace

std::string_view to_string(PeriodKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<PeriodKind> parse_period_kind(std::string_view text) {
  const auto at = std::find(kNames.begin(), kNames.end(), text);
  if (at == kNames.end()) return std::nullopt;
  return static_cast<PeriodKind>(at - kNames.begin());
}

// 1970 began on a Thursday, so the Thursday of week n is day 7 n.
Period Period::holding(PeriodKind kind, std::int64_t day) {
  const year_month_day date = date_of(day);
  const std::int64_t month =
      12 * (static_cast<int>(date.year()) - kFirstYear) + static_cast<unsigned>(date.month()) - 1;
  switch (kind) {
    case PeriodKind::day:
      return {kind, day};
    case PeriodKind::week:
      return {kind, floor_div(day + 3, 7)};
    case PeriodKind::month:
      return {kind, month};
    case PeriodKind::quarter:
      return {kind, floor_div(month, 3)};
  }
  return {};
}

std::int64_t Period::first_day() const {
  switch (kind) {
    case PeriodKind::day:
      return number;
    case PeriodKind::week:
      return 7 * number - 3;
    case PeriodKind::month:
      return first_of_month(number);
    case PeriodKind::quarter:
      return first_of_month(3 * number);
  }
  return 0;
}

std::string Period::name() const {
  const std::int64_t day = kind == PeriodKind::week ? 7 * number : first_day();
  const year_month_day date = date_of(day);
  const auto year = static_cast<int>(date.year());
  const unsigned month = static_cast<unsigned>(date.month());
  const std::string start = padded(year, 4) + "-";
  switch (kind) {
    case PeriodKind::day:
      return start + padded(month, 2) + "-" + padded(static_cast<unsigned>(date.day()), 2);
    case PeriodKind::week:
      return start + "W" + padded((day - day_of(year, 1, 1)) / 7 + 1, 2);
    case PeriodKind::month:
      return start + padded(month, 2);
    case PeriodKind::quarter:
      return start + "Q" + std::to_string((month + 2) / 3);
  }
  return "";
}

std::optional<Period> parse_period(std::string_view text) {
  std::string_view rest = text;
  const auto year = take_number(rest, 4);
  if (!year || *year < kFirstYear || *year > kLastYear || !take(rest, "-")) return std::nullopt;
  const std::int64_t january = day_of(*year, 1, 1);
  std::optional<Period> found;
  if (take(rest, "W")) {
    const auto week = take_number(rest, 2);
    // January 4 is always in the first week.
    if (week) found = Period::holding(PeriodKind::week, january + 3).plus(*week - 1);
  } else if (take(rest, "Q")) {
    const auto quarter = take_number(rest, 1);
    if (quarter) found = Period::holding(PeriodKind::quarter, january).plus(*quarter - 1);
  } else if (const auto month = take_number(rest, 2); month && *month >= 1 && *month <= 12) {
    found = Period::holding(PeriodKind::month, january).plus(*month - 1);
    if (take(rest, "-")) {
      const auto day = take_number(rest, 2);
      found = day ? std::optional(Period{PeriodKind::day, found->first_day() + *day - 1}) : std::nullopt;
    }
  }
  // A 31st of June, a 53rd week that this year lacks and the like are another period's.
  if (!found || !rest.empty() || found->name() != text) return std::nullopt;
  return found;
}

std::optional<std::int64_t> parse_day(std::string_view text) {
  const std::optional<Period> period = parse_period(text);
  if (!period || period->kind != PeriodKind::day) return std::nullopt;
  return period->number;
}

std::int64_t periods_of_a_year(PeriodKind kind) {
  constexpr std::array<std::int64_t, 4> kCounts = {366, 53, 12, 4};
  return kCounts[static_cast<std::size_t>(kind)];
}

std::string PeriodRange::name() const { return first == last ? first.name() : first.name() + ".." + last.name(); }

std::optional<PeriodRange> parse_typed_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  const std::optional<Period> first = parse_period(text.substr(0, dots));
  const std::optional<Period> last = dots == std::string_view::npos ? first : parse_period(text.substr(dots + 2));
  if (!first || !last || first->kind != last->kind || *last < *first) return std::nullopt;
  return PeriodRange{*first, *last};
}

std::optional<PeriodRange> parse_period_range(std::string_view text) {
  const std::optional<PeriodRange> range = parse_typed_range(text);
  return range && range->name() == text ? range : std::nullopt;
}

}  // namespace stopover
