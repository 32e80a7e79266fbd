#include "ingest/zone_lookup.h"

#include <gtest/gtest.h>

#include <limits>

#include "geo/zone_set_json.h"

namespace stopover {
namespace {

Ring square(double west, double south) {
  return {{west, south}, {west + 1, south}, {west + 1, south + 1}, {west, south + 1}, {west, south}};
}

TEST(ZoneLookup, GivesTheNumbersOfTheLocator) {
  const ZoneSet zones = *ZoneSet::make(
      {{"a", {0.5, 0.5}, {{square(0, 0)}}, {}}, {"b", {1.5, 0.5}, {{square(1, 0)}}, {}}}, {}, ZoneForm::polygons);
  const Result<ZoneLookup> lookup = ZoneLookup::of(zone_set_text(zones));
  ASSERT_TRUE(lookup) << lookup.error().message;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> lng = {0, 0.5, 1, 1.999, 2, 0.5, nan}, lat = {0, 0.5, 0, 0.999, 0.5, 1, 0.5};
  EXPECT_EQ(*lookup->numbers(lng, lat), (std::vector<std::int64_t>{0, 0, 1, 1, -1, -1, -1}));
  EXPECT_FALSE(lookup->numbers(lng, std::span(lat).first(2)));
}

TEST(ZoneLookup, RefusesWhatIsNoAreas) {
  EXPECT_FALSE(ZoneLookup::of("{}"));
  const ZoneSet stations = *ZoneSet::make({{"a", {0.5, 0.5}, {}, {}}}, {}, ZoneForm::points);
  EXPECT_FALSE(ZoneLookup::of(zone_set_text(stations)));
}

}  // namespace
}  // namespace stopover
