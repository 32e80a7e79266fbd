#include "ingest/zones_box.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

TEST(ZonesBox, IsThatOfTheAreas) {
  const auto box = zones_box(R"({"type":"FeatureCollection","features":[
      {"type":"Feature","properties":{"coordinates":[99,99]},"geometry":{"type":"Polygon","coordinates":[[[1,2],[3,2],[3,5],[1,2]]]}},
      {"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":[[[[-1,2],[3,2,7],[3,4],[-1,2]]]]}},
      {"type":"Feature","geometry":{"type":"Point","coordinates":[50,50]}}]})");
  ASSERT_TRUE(box) << box.error().message;
  EXPECT_EQ(box->west, -1);
  EXPECT_EQ(box->south, 2);
  EXPECT_EQ(box->east, 3);
  EXPECT_EQ(box->north, 5);
}

TEST(ZonesBox, RefusesWhatHasNoAreasOnTheGlobe) {
  for (const char* text : {"", "{", "[]", "7", R"({"type":"Point","coordinates":[1,2]})",
                           R"({"type":"LineString","coordinates":[[1,2],[3,4]]})",
                           R"({"type":"Polygon","coordinates":[]})", R"({"type":"Polygon","coordinates":[[[1,2]]]})",
                           R"({"type":"Polygon","coordinates":[[[500000,2],[1,2],[3,4]]]})",
                           R"({"type":["Polygon"],"coordinates":[[[1,2],[3,4]]]})"}) {
    ASSERT_FALSE(zones_box(text)) << text;
    EXPECT_EQ(zones_box(text).error().failure, Failure::bad_input);
  }
  EXPECT_FALSE(read_zones_box("nowhere.geojson"));
}

TEST(ZonesBox, WidensToWholeSteps) {
  const DegreeBox box = widened({-74.421, 40.4, -73.59, 89.999}, 0.01);
  EXPECT_NEAR(box.west, -74.43, 1e-9);
  EXPECT_NEAR(box.north, 90, 1e-9);
}

// The figures of docs/guide/publish.md.
TEST(EqualAngles, DifferLittleInACity) {
  EXPECT_NEAR(area_spread({-122.8177, 37.4605, -122.0211, 38.0893}), 0.009, 0.0005);  // San Francisco
  EXPECT_NEAR(area_spread({-74.42, 40.40, -73.59, 41.03}), 0.010, 0.0005);            // New York
  EXPECT_NEAR(area_spread({-118.62, 33.70, -117.86, 34.37}), 0.008, 0.0005);          // Los Angeles
  EXPECT_NEAR(area_spread({-114.6, 50.7, -113.6, 51.4}), 0.015, 0.0005);              // Calgary
  EXPECT_NEAR(area_spread({4, 58, 31, 71}), 0.63, 0.005);                             // Norway
  EXPECT_EQ(area_spread({0, -10, 1, 10}), area_spread({0, 0, 1, 10}));
}

}  // namespace
}  // namespace stopover
