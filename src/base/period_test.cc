#include "base/period.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

TEST(Period, NamesAreThoseOfTheCalendar) {
  const std::int64_t day = *parse_day("2019-01-31");
  EXPECT_EQ(day, 17927);
  EXPECT_EQ(Period::holding(PeriodKind::day, day).name(), "2019-01-31");
  EXPECT_EQ(Period::holding(PeriodKind::week, day).name(), "2019-W05");
  EXPECT_EQ(Period::holding(PeriodKind::month, day).name(), "2019-01");
  EXPECT_EQ(Period::holding(PeriodKind::quarter, day).name(), "2019-Q1");
  // A week has the year of its Thursday: 2020 had 53, and its last one reached into 2021.
  EXPECT_EQ(Period::holding(PeriodKind::week, *parse_day("2021-01-03")).name(), "2020-W53");
  EXPECT_EQ(Period::holding(PeriodKind::week, *parse_day("2019-12-30")).name(), "2020-W01");
}

TEST(Period, EveryDayLiesInOnePeriodOfAKindAndItsNameIsReadBack) {
  for (const PeriodKind kind : {PeriodKind::day, PeriodKind::week, PeriodKind::month, PeriodKind::quarter}) {
    for (std::int64_t day = *parse_day("1970-01-01"); day < *parse_day("2099-12-20"); day += 3) {
      const Period period = Period::holding(kind, day);
      ASSERT_LE(period.first_day(), day);
      ASSERT_LT(day, period.end_day());
      ASSERT_EQ(Period::holding(kind, period.first_day()), period);
      ASSERT_EQ(Period::holding(kind, period.end_day()), period.plus(1));
      ASSERT_EQ(parse_period(period.name()), period) << period.name();
    }
  }
}

TEST(Period, AYearFitsIntoItsPeriods) {
  for (const PeriodKind kind : {PeriodKind::day, PeriodKind::week, PeriodKind::month, PeriodKind::quarter}) {
    for (Period p = *parse_period("2018-01"); p < *parse_period("2022-01"); p = p.plus(1)) {
      const Period start = Period::holding(kind, p.first_day());
      EXPECT_GE(start.plus(periods_of_a_year(kind)).first_day(), start.first_day() + 365);
    }
  }
}

TEST(Period, WhatIsNoPeriodIsNotRead) {
  for (const char* text :
       {"", "2019", "2019-1", "2019-00", "2019-13", "2019-W00", "2019-W53", "2019-W5", "2019-Q0", "2019-Q5",
        "2019-02-29", "2019-06-31", "1969-12", "2100-01", "2019-01 ", "x2019-01", "2019-01-1", "2019-w05"}) {
    EXPECT_FALSE(parse_period(text)) << text;
  }
  EXPECT_FALSE(parse_day("2019-01"));
}

TEST(Period, RangesAreOfOneKindAndGoForward) {
  const auto year = parse_period_range("2019-01..2019-12");
  ASSERT_TRUE(year);
  EXPECT_EQ(year->size(), 12);
  EXPECT_TRUE(year->holds(*parse_period("2019-07")));
  EXPECT_FALSE(year->holds(*parse_period("2020-01")));
  EXPECT_EQ(year->name(), "2019-01..2019-12");
  EXPECT_EQ(parse_period_range("2019-Q1")->size(), 1);
  for (const char* text :
       {"2019-02..2019-01", "2019-01..2019-Q2", "2019-01..", "..2019-01", "2019-01..2019-01", "2019-01...2019-02"}) {
    EXPECT_FALSE(parse_period_range(text)) << text;
  }
  EXPECT_EQ(parse_typed_range("2019-01..2019-01")->name(), "2019-01");
  EXPECT_EQ(parse_typed_range("2019-01..2019-02")->name(), "2019-01..2019-02");
  for (const char* text : {"2019-02..2019-01", "2019-01..2019-Q1", "2019-01..", "..2019-01", "2019-01...2019-01"})
    EXPECT_FALSE(parse_typed_range(text)) << text;
}

}  // namespace
}  // namespace stopover
