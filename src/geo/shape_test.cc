#include "geo/shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <random>

#include "geo/geojson.h"
#include "query/coverage.h"

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

}  // namespace
}  // namespace stopover
