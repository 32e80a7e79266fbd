#include "domain/zone_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stopover {
namespace {

using ::testing::HasSubstr;

ZoneRecord point(std::string id, double x, std::vector<std::string> groups) {
  return {std::move(id), {x, 50}, {}, std::move(groups)};
}

std::vector<ZoneRecord> stations() {
  return {point("a", 1, {"north", "east"}), point("b", 2, {"north", "east"}), point("c", 3, {"south", "east"}),
          point("d", 4, {"far", "west"})};
}

TEST(ZoneSet, FindsZonesAndGroups) {
  const Result<ZoneSet> zones = ZoneSet::make(stations(), {"district", "region"}, ZoneForm::points);
  ASSERT_TRUE(zones) << zones.error().message;
  EXPECT_EQ(zones->find("c"), 2);
  EXPECT_EQ(zones->find("x"), -1);
  EXPECT_EQ(zones->find_group("north"), (Interval{0, 2}));
  EXPECT_EQ(zones->find_group("east"), (Interval{0, 3}));
  EXPECT_EQ(zones->find_group("x").width(), 0U);
  EXPECT_EQ(zones->groups(1).size(), 2U);
  EXPECT_EQ(zones->ids(), (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST(ZoneSet, AGroupWithTheNameOfAZoneIsFoundByItsLevel) {
  const Result<ZoneSet> zones = ZoneSet::make(
      {point("1", 1, {"2", "1"}), point("2", 2, {"2", "1"}), point("3", 3, {"4", "1"}), point("4", 4, {"5", "2"})},
      {"district", "region"}, ZoneForm::points);
  ASSERT_TRUE(zones) << zones.error().message;
  EXPECT_EQ(zones->find_group("district=2"), (Interval{0, 2}));
  EXPECT_EQ(zones->find_group("region=1"), (Interval{0, 3}));
  EXPECT_EQ(zones->find_group("region=3").width(), 0U);
  EXPECT_EQ(zones->find_group("regions=1").width(), 0U);
  // District 4 is zone 3 alone, and zone:4 is zone 4; region 2 is hidden by district 2; district 5 by no other name.
  const std::vector<std::string> shadowed = {"district=2", "district=4", "region=1", "region=2"};
  EXPECT_EQ(zones->shadowed_groups(), shadowed);
}

TEST(ZoneSet, RefusesWhatIsNoGeography) {
  const auto refused = [](std::vector<ZoneRecord> zones, const char* says, ZoneForm form = ZoneForm::points) {
    const Result<ZoneSet> made = ZoneSet::make(std::move(zones), {"district", "region"}, form);
    ASSERT_FALSE(made) << says;
    EXPECT_THAT(made.error().message, HasSubstr(says));
  };
  refused({}, "no zones");
  refused(std::vector<ZoneRecord>(ZoneSet::kMostZones + 1), "100001 zones");
  std::vector<ZoneRecord> zones = stations();
  zones[3].id = "a";
  refused(zones, "two zones have the id \"a\"");
  zones[3].id = "";
  refused(zones, "zone number 4 has no id");
  zones = stations();
  zones[2].groups = {"far", "east"};
  refused(zones, "\"far\" lies in two of region");
  zones[2].groups = {"north", "west"};
  zones[3].groups = {"north", "east"};
  refused(zones, "\"north\" lies in two of region");
  zones = stations();
  zones[3].groups[0] = "north";
  refused(zones, "do not stand together");
  zones[3].groups = {"", "west"};
  refused(zones, "lacks the name of a group");
  zones = stations();
  zones[0].place.x = 200;
  refused(zones, "not on the globe");
  refused(stations(), "has no area", ZoneForm::polygons);
}

}  // namespace
}  // namespace stopover
