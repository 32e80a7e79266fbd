#include "geo/zone_set_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stopover {
namespace {

ZoneSet stations() {
  return *ZoneSet::make({{"a \"b\"", {-122.4194, 37.7749}, {}, {"東"}}, {"\xc3\xa9", {0.1, -1e-7}, {}, {"東"}}},
                        {"district"}, ZoneForm::points);
}

TEST(ZoneSetText, ComesBackAsItWas) {
  const Ring outer = {{0, 0}, {2, 0}, {2, 2.125}, {0, 2}, {0, 0}}, hole = {{0.5, 0.5}, {0.5, 1}, {1, 1}, {0.5, 0.5}};
  const ZoneSet areas = *ZoneSet::make({{"x", {1, 1}, {{outer, hole}, {outer}}, {}}}, {}, ZoneForm::polygons);
  const ZoneSet names = *ZoneSet::make({{"1", {}, {}, {}}, {"2", {}, {}, {}}}, {}, ZoneForm::names);
  for (const ZoneSet& zones : {stations(), areas, names}) {
    const std::string text = zone_set_text(zones);
    const Result<ZoneSet> again = zone_set_of_text(text);
    ASSERT_TRUE(again) << again.error().message << "\n" << text;
    EXPECT_TRUE(*again == zones);
    EXPECT_EQ(zone_set_text(*again), text);
  }
}

TEST(ZoneSetText, TakesNothingElse) {
  const std::string good = zone_set_text(stations());
  const auto with = [&](const std::string& old, const std::string& now) {
    std::string text = good;
    text.replace(text.find(old), old.size(), now);
    return text;
  };
  for (const std::string& text :
       {std::string(), std::string("{}"), good + " ", with("points", "lines"), with("[-122.4194,", "[-922.4194,"),
        with("\"place\":[", "\"place\":[1,"), with("\"id\"", "\"ID\""), with("37.7749", "37.77490"),
        with("\"district\":", "\"x\":1,\"district\":"), with("[\"district\"]", "[\"region\"]")}) {
    EXPECT_FALSE(zone_set_of_text(text)) << text;
  }
}

}  // namespace
}  // namespace stopover
