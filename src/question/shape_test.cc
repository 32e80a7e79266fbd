#include "question/shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <random>

#include "question/geojson.h"
#include "question/zones.h"

namespace stopover {
namespace {

std::string polygon(const std::string& rings) { return R"({"type": "Polygon", "coordinates": [)" + rings + "]}"; }

void expect_error(const std::string& text, const std::string& says) {
  const Result<Shape> shape = shape_of_geojson(text, "area.geojson");
  ASSERT_FALSE(shape) << text.substr(0, 200);
  EXPECT_EQ(shape.error().failure, Failure::bad_input);
  EXPECT_NE(shape.error().message.find(says), std::string::npos) << shape.error().message;
  EXPECT_TRUE(shape.error().message.starts_with("area.geojson")) << shape.error().message;
}

// A star about (x, y); every n > 2 gives a valid ring.
Ring star(std::mt19937_64& random, double x, double y, double least, double most, int n) {
  Ring ring;
  for (int i = 0; i < n; ++i) {
    const double r = least + (most - least) * static_cast<double>(random() % 1000) / 1000, t = 2 * M_PI * i / n;
    ring.push_back({x + r * std::cos(t), y + r * std::sin(t)});
  }
  ring.push_back(ring.front());
  return ring;
}

// The area of every cell's part, cut out by another library (which snaps to a lattice of its own) and by clipping.
TEST(ShapeTest, CoverageAgreesWithCuttingOutEveryCell) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 12; ++round) {
    Shape raw;
    raw.polygons.push_back({star(random, 10, 10, 4, 9, 5 + round * 3), star(random, 10, 10, 1, 3, 5 + round)});
    raw.polygons.push_back({star(random, 30, 9, 2, 8, 3 + round)});
    const Result<Shape> shape = checked(raw, "stars");
    ASSERT_TRUE(shape) << shape.error().message;
    const Coverage drawn = Coverage::of_rings(shape->rings(), {{0, 36}, {0, 16}});
    EXPECT_NEAR(drawn.area(), area(intersection(*shape, of_box(0, 0, 36, 16))), 1e-5);
    for (std::uint32_t i = 0; i < 36; ++i) {
      for (std::uint32_t j = 0; j < 16; ++j) {
        const double cut = area(intersection(*shape, of_box(i, j, i + 1.0, j + 1.0)));
        ASSERT_NEAR(drawn.weight(i, j), cut, 1e-5) << round << " " << i << " " << j;
        double exact = 0;
        for (const Ring& ring : shape->rings()) {
          exact += doubled_area(clipped(ring, {{double(i), i + 1.0}, {double(j), j + 1.0}})) / 2;
        }
        ASSERT_NEAR(drawn.weight(i, j), exact, 2e-9) << round << " " << i << " " << j;
      }
    }
  }
}

TEST(ShapeTest, WrongGeoJson) {
  expect_error("{", "not valid JSON");
  expect_error("[]", "type");
  expect_error(R"({"type": "Point", "coordinates": [1, 2]})", "Point");
  expect_error(R"({"type": "LineString", "coordinates": [[1, 2], [2, 3]]})", "LineString");
  expect_error(R"({"type": "Topology"})", "Topology");
  expect_error(R"({"type": "FeatureCollection", "features": []})", "without features");
  expect_error(R"({"type": "Feature", "geometry": null})", "without geometry");
  expect_error(R"({"type": "Polygon"})", "no coordinates");
  expect_error(R"({"type": "Polygon", "coordinates": [[1, 2], [3, 4]]})", "which is not a pair of numbers");
  expect_error(polygon("[[0,0],[1,0],[1,1],[0,0.5]]"), "closed");
  expect_error(polygon("[[0,0],[1,0],[0,0]]"), "too few");
  expect_error(polygon("[[0,0],[1,\"x\"],[1,1],[0,0]]"), "position 2");
  expect_error(polygon("[[37,-122],[37,-121],[38,-121],[37,-122]]"), "swapped");
  expect_error(polygon("[[551000,4180000],[552000,4180000],[552000,4181000],[551000,4180000]]"), "not metres");
  expect_error(
      R"({"type": "Polygon", "crs": {"type": "name", "properties": {"name": "EPSG:3857"}}, "coordinates": []})",
      "EPSG:3857");
}

TEST(ShapeTest, RingsThatCrossAreRefusedWithThePlace) {
  expect_error(polygon("[[0,0],[2,2],[2,0],[0,2],[0,0]]"), "crosses itself near longitude 1, latitude 1");
  expect_error(polygon("[[0,0],[4,0],[4,4],[0,4],[0,0]],[[5,5],[6,5],[6,6],[5,5]]"), "hole outside");
  expect_error(polygon("[[0,0],[1,0],[2,0],[0,0]]"), "no area");
  expect_error(
      R"({"type": "MultiPolygon", "coordinates": [[[[0,0],[4,0],[4,4],[0,4],[0,0]]], [[[1,1],[6,1],[6,6],[1,6],[1,1]]]]})",
      "");
}

TEST(ShapeTest, SpikesRepeatedPointsAndDirectionsAreMended) {
  const Result<Shape> shape = shape_of_geojson(polygon("[[0,0],[0,2],[0,2],[2,2],[2,5],[2,2],[2,0],[0,0]]"), "x");
  ASSERT_TRUE(shape) << shape.error().message;
  EXPECT_NEAR(area(*shape), 4, 1e-12);
  EXPECT_GT(doubled_area(shape->rings()[0]), 0);
}

TEST(ShapeTest, AHundredThousandCorners) {
  std::mt19937_64 random(5);
  const Ring ring = star(random, 0, 0, 9.99, 10, 100'000);
  const std::clock_t start = std::clock();
  const Result<Shape> shape = checked({{{ring}}}, "large");
  ASSERT_TRUE(shape) << shape.error().message;
  EXPECT_NEAR(Coverage::of_rings(shape->rings(), {{0, 20}, {0, 20}}).area(),
              area(intersection(*shape, of_box(0, 0, 20, 20))), 1e-7);
  EXPECT_LT(std::clock() - start, 30 * CLOCKS_PER_SEC);
}

std::string zones(const std::string& properties) {
  std::string all;
  for (int i = 0; i < 3; ++i) {
    std::string p = properties;
    while (p.find('#') != std::string::npos) p.replace(p.find('#'), 1, std::to_string(i));
    const std::string x = std::to_string(i), e = std::to_string(i + 1);
    all += std::string(i ? "," : "") + R"({"type": "Feature", "properties": )" + p + R"(, "geometry": )" +
           polygon("[[" + x + ",0],[" + e + ",0],[" + e + ",1],[" + x + ",1],[" + x + ",0]]") + "}";
  }
  return R"({"type": "FeatureCollection", "features": [)" + all + "]}";
}

TEST(ZonesTest, NamesComeFromProperties) {
  EXPECT_EQ(Zones::of_geojson(zones(R"({"name": "Z#"})"), "z")->all()[2].name, "Z2");
  EXPECT_EQ(Zones::of_geojson(zones(R"({"id": 7#})"), "z")->all()[1].name, "71");
  EXPECT_EQ(Zones::of_geojson(zones(R"({"name": "same", "borough": "B#"})"), "z", "borough")->all()[0].name, "B0");
  EXPECT_EQ(Zones::of_geojson(zones("{}"), "z")->all()[2].name, "3");
  const Result<Zones> joined = Zones::of_geojson(zones(R"({"name": "same"})"), "z");
  ASSERT_EQ(joined->all().size(), 1u);
  EXPECT_NEAR(area(joined->all()[0].shape), 3, 1e-12);
}

TEST(ZonesTest, BadZones) {
  const auto message = [](const std::string& text, const char* property = "") {
    const Result<Zones> z = Zones::of_geojson(text, "zones.geojson", property);
    return z ? std::string("fine") : z.error().message;
  };
  EXPECT_NE(message("nope").find("not valid JSON"), std::string::npos);
  EXPECT_NE(message(polygon("[[0,0],[1,0],[1,1],[0,0]]")).find("FeatureCollection"), std::string::npos);
  EXPECT_NE(message(zones(R"({"name": "Z#"})"), "nmae").find("Did you mean name"), std::string::npos);
  EXPECT_NE(message(R"({"type": "FeatureCollection", "features": []})").find("no feature"), std::string::npos);
  const std::string crossed =
      R"({"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "Bow"}, "geometry": )" +
      polygon("[[0,0],[2,2],[2,0],[0,2],[0,0]]") + "}]}";
  EXPECT_NE(message(crossed).find("zone \"Bow\" (feature 1) crosses itself"), std::string::npos);
  EXPECT_NE(Zones::of_geojson(zones(R"({"name": "Mission#"})"), "z")
                ->get("Mision1")
                .error()
                .message.find("Did you mean Mission1"),
            std::string::npos);
}

}  // namespace
}  // namespace stopover
