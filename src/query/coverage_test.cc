#include "query/coverage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "query/circle.h"

namespace stopover {
namespace {

const PlaneSpan kGrid{{0, 40}, {0, 30}};

TEST(CoverageTest, ARectangleCoversCellsByTheirShares) {
  const Ring ring = {{1.25, 2.5}, {4, 2.5}, {4, 5.75}, {1.25, 5.75}};
  const Coverage c = Coverage::of_rings(std::vector<Ring>{ring}, kGrid);
  EXPECT_DOUBLE_EQ(c.weight(1, 2), 0.75 * 0.5);
  EXPECT_DOUBLE_EQ(c.weight(2, 3), 1);
  EXPECT_DOUBLE_EQ(c.weight(3, 5), 0.75);
  EXPECT_EQ(c.weight(4, 3), 0);
  EXPECT_EQ(c.weight(0, 3), 0);
  EXPECT_NEAR(c.area(), 2.75 * 3.25, 1e-12);
}

TEST(CoverageTest, ATriangleCutsTheDiagonalInHalves) {
  const Ring ring = {{0, 0}, {10, 0}, {10, 10}};
  const Coverage c = Coverage::of_rings(std::vector<Ring>{ring}, kGrid);
  for (std::uint32_t i = 0; i < 10; ++i) {
    for (std::uint32_t j = 0; j < 10; ++j)
      EXPECT_DOUBLE_EQ(c.weight(i, j), i == j ? 0.5 : i > j ? 1 : 0) << i << " " << j;
  }
}

TEST(CoverageTest, HolesAreTakenOut) {
  const std::vector<Ring> rings = {{{0, 0}, {9, 0}, {9, 9}, {0, 9}}, {{3, 3}, {3, 6}, {6, 6}, {6, 3}}};
  const Coverage c = Coverage::of_rings(rings, kGrid);
  EXPECT_EQ(c.weight(4, 4), 0);
  EXPECT_EQ(c.weight(2, 4), 1);
  EXPECT_NEAR(c.area(), 81 - 9, 1e-12);
}

TEST(CoverageTest, WhatLiesOutsideIsCutOff) {
  const Ring ring = {{-5, -7}, {60, -3}, {70, 50}, {-9, 44}};
  const Coverage c = Coverage::of_rings(std::vector<Ring>{ring}, kGrid);
  EXPECT_NEAR(c.area(), 40 * 30, 1e-9);
  const Ring far = {{-5, -5}, {-1, -5}, {-1, -1}};
  EXPECT_TRUE(Coverage::of_rings(std::vector<Ring>{far}, kGrid).empty());
  // In at two places, joined outside.
  const Ring comb = {{-1, 1}, {5, 1}, {5, 3}, {-0.5, 3}, {-0.5, 5}, {5, 5}, {5, 7}, {-1, 7}};
  const Coverage teeth = Coverage::of_rings(std::vector<Ring>{comb}, kGrid);
  EXPECT_NEAR(teeth.area(), 20, 1e-12);
  EXPECT_EQ(teeth.weight(0, 4), 0);
}

// Against counting points of a fine lattice; the lattice itself is off by at most perimeter / points per side.
TEST(CoverageTest, RandomPolygonsAgreeWithALattice) {
  std::mt19937_64 random(3);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  for (int round = 0; round < 50; ++round) {
    Ring ring;
    const double x = 20 * unit() + 5, y = 15 * unit() + 5;
    const int n = 3 + static_cast<int>(random() % 30);
    for (int i = 0; i < n; ++i) {
      const double r = 1 + 9 * unit(), t = 2 * M_PI * i / n;
      ring.push_back({x + r * std::cos(t), y + r * std::sin(t)});
    }
    const Coverage c = Coverage::of_rings(std::vector<Ring>{ring}, {{0, 40}, {0, 40}});
    const auto inside = [&](double px, double py) {
      bool in = false;
      for (std::size_t i = 0, j = ring.size() - 1; i < ring.size(); j = i++) {
        if ((ring[i].y > py) != (ring[j].y > py) &&
            px < (ring[j].x - ring[i].x) * (py - ring[i].y) / (ring[j].y - ring[i].y) + ring[i].x) {
          in = !in;
        }
      }
      return in;
    };
    constexpr int kFine = 24;
    for (int probe = 0; probe < 12; ++probe) {
      const auto i = static_cast<std::uint32_t>(random() % 30), j = static_cast<std::uint32_t>(random() % 30);
      int hits = 0;
      for (int a = 0; a < kFine; ++a) {
        for (int b = 0; b < kFine; ++b) hits += inside(i + (a + 0.5) / kFine, j + (b + 0.5) / kFine);
      }
      EXPECT_NEAR(c.weight(i, j), hits / double(kFine * kFine), 3.0 / kFine) << round << " " << i << " " << j;
    }
    EXPECT_NEAR(
        c.area(),
        [&] {
          Ring part = clipped(ring, {{0, 40}, {0, 40}});
          return doubled_area(part) / 2;
        }(),
        1e-9);
  }
}

TEST(CoverageTest, SumsOverRectangles) {
  std::mt19937_64 random(4);
  Coverage c;
  c.x = {3, 12};
  c.y = {2, 9};
  for (int i = 0; i < 63; ++i) c.weights.push_back(random() % 3 == 0 ? 0 : random() % 2 == 0 ? 1 : 0.25);
  const PlaneSums sums(c, nullptr);
  for (int round = 0; round < 300; ++round) {
    const auto a = static_cast<std::uint32_t>(random() % 15), b = static_cast<std::uint32_t>(random() % 12);
    const Interval x{a, a + 1 + static_cast<std::uint32_t>(random() % 5)},
        y{b, b + 1 + static_cast<std::uint32_t>(random() % 5)};
    double area = 0;
    bool all = true;
    for (std::uint32_t i = x.lo; i < x.hi; ++i) {
      for (std::uint32_t j = y.lo; j < y.hi; ++j) {
        area += c.weight(i, j);
        all = all && c.weight(i, j) == 1;
      }
    }
    EXPECT_NEAR(sums.area(x, y), area, 1e-12);
    EXPECT_EQ(sums.side(x, y), area == 0 ? PlaneSums::Side::outside
                               : all     ? PlaneSums::Side::inside
                                         : PlaneSums::Side::border);
  }
}

TEST(CircleTest, EveryPointOfTheEdgeIsAtTheRadius) {
  for (const Circle& c :
       {Circle{37.795, -122.393, 1}, Circle{0, 0, 50}, Circle{-51.7, 179.9, 300}, Circle{64, 20, 1000}}) {
    const std::size_t n = 400;
    const std::vector<Ring> rings = circle_rings(c, n);
    for (const PlanePoint& p : rings[0]) {
      EXPECT_NEAR(distance_km(c.lat, c.lon, p.y, p.x) / c.km, 1, 2 * circle_error(n));
    }
  }
}

TEST(CircleTest, DistancesOnTheGlobe) {
  EXPECT_NEAR(distance_km(0, 0, 0, 90), kEarthRadiusKm * M_PI / 2, 1e-6);
  EXPECT_NEAR(distance_km(90, 0, -90, 30), kEarthRadiusKm * M_PI, 1e-6);
  // San Francisco to New York, by the haversine formula in long double.
  EXPECT_NEAR(distance_km(37.7749, -122.4194, 40.7128, -74.0060), 4129.09, 0.01);
}

// The area on the sphere, from the rings: a cap's is 2 pi R^2 (1 - cos r).
TEST(CircleTest, TheAreaIsACaps) {
  for (const Circle& c : {Circle{37.795, -122.393, 1}, Circle{60, 10, 200}, Circle{89, 0, 500}, Circle{-80, 50, 3000},
                          Circle{10, 0, 12000}, Circle{0, 0, 20015}}) {
    double area = 0;
    for (const Ring& ring : circle_rings(c, 2000)) {
      for (std::size_t i = 0; i < ring.size(); ++i) {
        const PlanePoint &a = ring[i == 0 ? ring.size() - 1 : i - 1], &b = ring[i];
        // Green: integral of -sin(lat) d lon along an edge that is straight in the plane, by Simpson.
        const double f =
            (std::sin(a.y * M_PI / 180) + 4 * std::sin((a.y + b.y) / 2 * M_PI / 180) + std::sin(b.y * M_PI / 180)) / 6;
        area -= f * (b.x - a.x) * M_PI / 180;
      }
    }
    EXPECT_NEAR(area / (2 * M_PI * (1 - std::cos(c.km / kEarthRadiusKm))), 1, 2e-5) << c.lat << " " << c.km;
  }
}

TEST(CircleTest, PointsFollowTheGrid) {
  EXPECT_LE(circle_points({37.8, -122.4, 0.01}, 0.001), 20u);
  EXPECT_GT(circle_points({37.8, -122.4, 10}, 0.001), 300u);
  EXPECT_LE(circle_points({37.8, -122.4, 10000}, 0.001), 2048u);
}

TEST(CircleTest, BadCircles) {
  EXPECT_NE(check_circle({37, -122, 0}).error().message.find("above 0"), std::string::npos);
  EXPECT_NE(check_circle({37, -122, -1}).error().message.find("above 0"), std::string::npos);
  EXPECT_NE(check_circle({-122, 37, 1}).error().message.find("did you mean 37,-122,1"), std::string::npos);
  EXPECT_EQ(check_circle({200, 37, 1}).error().failure, Failure::usage);
  EXPECT_FALSE(check_circle({37, -122, 30000}));
  EXPECT_FALSE(check_circle({37, -122, std::nan("")}));
  EXPECT_TRUE(check_circle({37, -122, 1}));
}

}  // namespace
}  // namespace stopover
