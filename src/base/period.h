// Period: a day, week, month or quarter of the calendar. It is what a series of releases is cut by, what a ledger of
// periods counts by, and a name.
//
//   2019-01-31   2019-W05   2019-01   2019-Q1        a week is ISO 8601's: it begins on Monday, and has its Thursday's
//                                                    year
//
// PeriodRange: one or more that follow each other, "2019-01..2019-12" or "2019-01".
//
// Days are counted from 1970-01-01, which is day 0, on the calendar of wherever the period is declared: no zone here.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stopover {

enum class PeriodKind { day, week, month, quarter };

// "day", "week", "month", "quarter".
std::string_view to_string(PeriodKind kind);
std::optional<PeriodKind> parse_period_kind(std::string_view text);

struct Period {
  PeriodKind kind = PeriodKind::month;
  std::int64_t number = 0;  // counted from the one that holds 1970-01-01

  static Period holding(PeriodKind kind, std::int64_t day);
  std::int64_t first_day() const;
  std::int64_t end_day() const { return plus(1).first_day(); }
  Period plus(std::int64_t periods) const { return {kind, number + periods}; }
  std::string name() const;
  auto operator<=>(const Period&) const = default;
};

// The inverse of name(), from 1970 to 2099; nothing for any other text.
std::optional<Period> parse_period(std::string_view text);

// "2019-01-31" as a day; nothing for what is no day from 1970 to 2099.
std::optional<std::int64_t> parse_day(std::string_view text);

// So many that follow each other hold any year whole: 366, 53, 12, 4.
std::int64_t periods_of_a_year(PeriodKind kind);

struct PeriodRange {
  Period first, last;

  std::int64_t size() const { return last.number - first.number + 1; }
  bool holds(const Period& period) const { return period >= first && period <= last; }
  std::string name() const;
  bool operator==(const PeriodRange&) const = default;
};

// The inverse of name(): two periods of one kind, the second not before the first.
std::optional<PeriodRange> parse_period_range(std::string_view text);
// As people and scripts type it: "2019-01..2019-01" is 2019-01, too.
std::optional<PeriodRange> parse_typed_range(std::string_view text);

}  // namespace stopover
