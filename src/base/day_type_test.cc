#include "base/day_type.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

TEST(DayType, HoldsDaysOfTheWeek) {
  const auto types = parse_day_types("weekday,weekend");
  ASSERT_TRUE(types);
  ASSERT_EQ(types->size(), 2U);
  // 1970-01-01 was a Thursday, 1969-12-27 a Saturday.
  for (const auto& [day, weekend] : {std::pair{0, false},
                                     {1, false},
                                     {2, true},
                                     {3, true},
                                     {4, false},
                                     {-5, true},
                                     {-4, true},
                                     {-3, false},
                                     {18'262, false},
                                     {18'265, true}}) {
    EXPECT_EQ((*types)[1].holds(day), weekend) << day;
    EXPECT_EQ((*types)[0].holds(day), !weekend) << day;
  }
  EXPECT_TRUE((*parse_day_types("sunday"))[0].holds(3));
}

TEST(DayType, NoDayIsInTwo) {
  EXPECT_TRUE(parse_day_types("weekday,saturday,sunday"));
  for (const char* bad : {"weekday,monday", "weekend,sunday", "weekday,weekday", "", "weekday,", "Weekday", "holiday"})
    EXPECT_FALSE(parse_day_types(bad)) << bad;
}

}  // namespace
}  // namespace stopover
