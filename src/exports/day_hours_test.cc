#include "exports/day_hours.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

TEST(DayHoursTest, ReadsHoursAndMinutes) {
  const Result<DayHours> hours = DayHours::parse("7-9:30");
  ASSERT_TRUE(hours);
  EXPECT_EQ(hours->begin, 7 * 3600);
  EXPECT_EQ(hours->end, 9 * 3600 + 1800);
  EXPECT_EQ(hours->text(), "07:00-09:30");
  EXPECT_TRUE(DayHours::parse("0-24"));
  for (const char* bad : {"", "7", "9-7", "7-7", "0-25", "7:60-9", "a-b", "7-9-11", "-1-3", "007-9"}) {
    const Result<DayHours> read = DayHours::parse(bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_NE(read.error().message.find(bad), std::string::npos);
  }
}

}  // namespace
}  // namespace stopover
