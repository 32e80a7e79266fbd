#include "geo/simplify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <set>

namespace stopover {
namespace {

// Squares of a plane whose borders wiggle; neighbours have the same corners.
std::vector<Shape> wiggly(int side, int steps) {
  std::mt19937_64 random(6);
  std::map<std::pair<std::pair<double, double>, bool>, Ring> borders;
  const auto border = [&](int i, int j, bool up) -> const Ring& {
    Ring& ring = borders[{{i, j}, up}];
    if (!ring.empty()) return ring;
    for (int k = 0; k <= steps; ++k) {
      const double t = static_cast<double>(k) / steps;
      const double off = 0.4 * t * (1 - t) * static_cast<double>(random() % 1000) / 1000;
      ring.push_back(up ? PlanePoint{i + off, j + t} : PlanePoint{i + t, j + off});
    }
    return ring;
  };
  std::vector<Shape> shapes;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      Ring ring = border(i, j, false);
      const auto add = [&](Ring more, bool turned) {
        if (turned) more = Ring(more.rbegin(), more.rend());
        ring.insert(ring.end(), more.begin() + 1, more.end());
      };
      add(border(i + 1, j, true), false);
      add(border(i, j + 1, false), true);
      add(border(i, j, true), true);
      shapes.push_back(*checked({{{ring}}}, "square"));
    }
  }
  return shapes;
}

std::size_t corners(const std::vector<Shape>& shapes) {
  std::size_t sum = 0;
  for (const Shape& shape : shapes) sum += corners_of(shape);
  return sum;
}

// Edges that only one area has, as a set without direction.
std::set<std::pair<std::pair<double, double>, std::pair<double, double>>> lone_edges(const std::vector<Shape>& shapes) {
  std::set<std::pair<std::pair<double, double>, std::pair<double, double>>> edges;
  for (const Shape& shape : shapes) {
    for (const Ring& ring : shape.rings()) {
      for (std::size_t i = 1; i < ring.size(); ++i) {
        const std::pair a(ring[i - 1].x, ring[i - 1].y), b(ring[i].x, ring[i].y);
        const auto edge = std::minmax(a, b);
        if (!edges.erase(edge)) edges.insert(edge);
      }
    }
  }
  return edges;
}

TEST(SimplifyTest, SharedBordersStayShared) {
  const std::vector<Shape> shapes = wiggly(8, 40);
  for (const std::size_t most : {4000U, 1000U, 0U}) {
    const std::vector<Shape> drawn = simplified(shapes, most);
    ASSERT_EQ(drawn.size(), shapes.size());
    EXPECT_LT(corners(drawn), most + 64 * 6);
    EXPECT_GE(corners(drawn), most);
    double sum = 0;
    for (const Shape& shape : drawn) {
      EXPECT_TRUE(checked(shape, "drawn"));
      sum += area(shape);
    }
    // Only the map's outer border is nobody else's: the areas fill what it encloses.
    for (const auto& [a, b] : lone_edges(drawn)) {
      const auto outer = [](const std::pair<double, double>& p) {
        return p.first < 0.2 || p.first > 7.9 || p.second < 0.2 || p.second > 7.9;
      };
      EXPECT_TRUE(outer(a) && outer(b)) << a.first << "," << a.second;
    }
    EXPECT_NEAR(sum, 64, most == 0 ? 2.01 : 1);  // at the least the corners of the map are cut off
  }
}

TEST(SimplifyTest, LeavesWhatIsSimpleAlone) {
  const std::vector<Shape> shapes = {of_box(0, 0, 1, 1), of_box(1, 0, 2, 1)};
  const std::vector<Shape> drawn = simplified(shapes, 100);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(area(intersection(drawn[i], shapes[i])), 1, 1e-9);
  EXPECT_EQ(corners(drawn), 10u);
}

TEST(SimplifyTest, HolesAndTheirIslandsShareABorder) {
  Ring circle;
  for (int i = 0; i < 200; ++i) circle.push_back({2 + std::cos(i * M_PI / 100), 2 + std::sin(i * M_PI / 100)});
  circle.push_back(circle.front());
  const Shape island = *checked({{{circle}}}, "island");
  const Shape ring = *checked({{{of_box(0, 0, 4, 4).polygons[0][0], circle}}}, "ring");
  const std::vector<Shape> drawn = simplified(std::vector<Shape>{ring, island}, 60);
  ASSERT_EQ(drawn[0].polygons[0].size(), 2u);
  EXPECT_LT(corners(drawn), 65u);
  EXPECT_GT(area(drawn[1]), 3);
  EXPECT_NEAR(area(drawn[0]) + area(drawn[1]), 16, 1e-9);
  EXPECT_TRUE(checked(drawn[0], "ring"));
  EXPECT_EQ(corners(simplified(std::vector<Shape>{island}, 0)), 4u);  // a triangle is left
}

// Slanting teeth, some short, some long: a long one without its inner corners would lie over a short one.
TEST(SimplifyTest, NoAreaCrossesItself) {
  std::mt19937_64 random(2);
  Ring ring;
  constexpr int kTeeth = 60;
  for (int i = 0; i < kTeeth; ++i) {
    const double length = 1 + static_cast<double>(random() % 8000) / 1000;
    ring.push_back({i + 0.0, 1});
    for (int k = 1; k < 5; ++k) ring.push_back({i + 0.05 * std::pow(length * k / 5, 2), 1 - length * k / 5});
    for (int k = 4; k > 0; --k) ring.push_back({i + 0.4 + 0.05 * std::pow(length * k / 5, 2), 1 - length * k / 5});
    ring.push_back({i + 0.4, 1});
  }
  ring.insert(ring.end(), {{kTeeth, 1}, {kTeeth, 5}, {0, 5}, {0, 1}});
  const Result<Shape> comb = checked({{{ring}}}, "comb");
  ASSERT_TRUE(comb) << comb.error().message;
  for (const std::size_t most : {500U, 300U, 200U, 100U}) {
    EXPECT_TRUE(checked(simplified(std::vector<Shape>{*comb}, most)[0], "drawn")) << most;
  }
}

}  // namespace
}  // namespace stopover
