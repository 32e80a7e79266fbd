#include "geo/zone_locator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <thread>

namespace stopover {
namespace {

Ring box(double west, double south, double east, double north) {
  return {{west, south}, {east, south}, {east, north}, {west, north}, {west, south}};
}

ZoneSet set_of(const std::vector<std::vector<std::vector<Ring>>>& areas) {
  std::vector<ZoneRecord> zones;
  for (const auto& polygons : areas) zones.push_back({std::to_string(zones.size()), {0, 0}, polygons, {}});
  return *ZoneSet::make(zones, {}, ZoneForm::polygons);
}

ZoneLocator locator_of(const std::vector<std::vector<std::vector<Ring>>>& areas) {
  return *ZoneLocator::make(set_of(areas));
}

TEST(ZoneLocatorTest, WestAndSouthBordersBelongToAZone) {
  const ZoneLocator at = locator_of({{{box(0, 0, 1, 1)}}, {{box(1, 0, 2, 1)}}, {{box(0, 1, 2, 2)}}});
  EXPECT_EQ(at.locate(0.5, 0.5), 0);
  EXPECT_EQ(at.locate(0, 0), 0);
  EXPECT_EQ(at.locate(1, 0.5), 1);  // on the border of 0 and 1
  EXPECT_EQ(at.locate(1, 0), 1);
  EXPECT_EQ(at.locate(0.5, 1), 2);
  EXPECT_EQ(at.locate(1, 1), 2);     // the corner of all three
  EXPECT_EQ(at.locate(2, 0.5), -1);  // east and north borders of all belong to nobody
  EXPECT_EQ(at.locate(0.5, 2), -1);
  EXPECT_EQ(at.locate(-0.1, 0.5), -1);
}

TEST(ZoneLocatorTest, SlantedBordersBelongToTheEast) {
  // Two triangles of a square, on either diagonal.
  const ZoneLocator rising = locator_of({{{{{0, 0}, {2, 2}, {0, 2}}}}, {{{{0, 0}, {2, 0}, {2, 2}}}}});
  EXPECT_EQ(rising.locate(1, 1), 1);
  EXPECT_EQ(rising.locate(0, 0), 1);
  const ZoneLocator falling = locator_of({{{{{0, 0}, {2, 0}, {0, 2}}}}, {{{{2, 0}, {2, 2}, {0, 2}}}}});
  EXPECT_EQ(falling.locate(1, 1), 1);
  EXPECT_EQ(falling.locate(0.5, 1.5), 1);
  EXPECT_EQ(falling.locate(0.5, 1.5 - 1e-8), 0);
}

TEST(ZoneLocatorTest, HolesIslandsAndParts) {
  Ring hole = box(1, 1, 2, 2);
  const ZoneLocator at = locator_of({{{box(0, 0, 4, 4), hole, box(3, 3, 3.5, 3.5)}, {box(10, 10, 11, 11)}}, {{hole}}});
  EXPECT_EQ(at.locate(0.5, 0.5), 0);
  EXPECT_EQ(at.locate(1.5, 1.5), 1);
  EXPECT_EQ(at.locate(1, 1), 1);
  EXPECT_EQ(at.locate(2, 1.5), 0);
  EXPECT_EQ(at.locate(3.2, 3.2), -1);
  EXPECT_EQ(at.locate(10.5, 10.5), 0);
  EXPECT_EQ(at.locate(8, 8), -1);
}

TEST(ZoneLocatorTest, WhereZonesOverlapTheFirstHasIt) {
  const ZoneLocator at = locator_of({{{box(2, 2, 3, 3)}}, {{box(0, 0, 10, 10)}}, {{box(4, 4, 5, 5)}}});
  EXPECT_EQ(at.locate(2.5, 2.5), 0);
  EXPECT_EQ(at.locate(4.5, 4.5), 1);
}

TEST(ZoneLocatorTest, WhatIsNoPlaceIsInNoZone) {
  const ZoneLocator at = locator_of({{{box(-180, -90, 180, 90)}}});
  EXPECT_EQ(at.locate(0, 0), 0);
  EXPECT_EQ(at.locate(-180, -90), 0);
  EXPECT_EQ(at.locate(std::nan(""), 0), -1);
  EXPECT_EQ(at.locate(0, std::numeric_limits<double>::infinity()), -1);
  EXPECT_EQ(at.locate(181, 0), -1);
  EXPECT_EQ(at.locate(1e300, -1e300), -1);
}

TEST(ZoneLocatorTest, PointsAndNamesAreRefused) {
  for (const ZoneForm form : {ZoneForm::points, ZoneForm::names}) {
    const Result<ZoneLocator> none = ZoneLocator::make(*ZoneSet::make({{"a", {1, 2}, {}, {}}}, {}, form));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().failure, Failure::usage);
    EXPECT_NE(none.error().message.find("`zone_columns`"), std::string::npos) << none.error().message;
  }
}

// A plane of triangles with common corners. Each place is in exactly one, also on edges and corners: a locator of each
// triangle alone says so.
TEST(ZoneLocatorTest, EveryPlaceIsInOneOfZonesThatFillTheMap) {
  std::mt19937_64 random(4);
  constexpr int kSide = 12;
  std::vector<std::vector<PlanePoint>> corner(kSide + 1, std::vector<PlanePoint>(kSide + 1));
  const auto whole = [&](int from, int to) {
    return from + static_cast<int>(random() % static_cast<unsigned>(to - from));
  };
  for (int i = 0; i <= kSide; ++i) {
    for (int j = 0; j <= kSide; ++j) {
      const bool edge = i == 0 || j == 0 || i == kSide || j == kSide;
      // Sixteenths, so that many edges run straight and many corners lie at one height.
      corner[i][j] = {i + (edge ? 0 : whole(-3, 4)) / 16.0, j + (edge ? 0 : whole(-3, 4)) / 16.0};
    }
  }
  std::vector<std::vector<std::vector<Ring>>> areas;
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      const PlanePoint a = corner[i][j], b = corner[i + 1][j], c = corner[i + 1][j + 1], d = corner[i][j + 1];
      areas.push_back({{{a, b, c, a}}});
      areas.push_back({{{a, d, c, a}}});  // the other way round
    }
  }
  const ZoneLocator all = locator_of(areas);
  std::vector<ZoneLocator> alone;
  for (const auto& area : areas) alone.push_back(locator_of({area}));
  for (int n = 0; n < 20000; ++n) {
    PlanePoint p{whole(0, kSide * 16) / 16.0, whole(0, kSide * 16) / 16.0};
    if (n % 3 == 0) p = corner[whole(0, kSide)][whole(0, kSide)];
    int holders = 0, holder = -1;
    for (std::size_t z = 0; z < alone.size(); ++z) {
      if (alone[z].locate(p.x, p.y) < 0) continue;
      ++holders;
      holder = static_cast<int>(z);
    }
    ASSERT_EQ(holders, 1) << p.x << " " << p.y;
    ASSERT_EQ(all.locate(p.x, p.y), holder) << p.x << " " << p.y;
  }
}

TEST(ZoneLocatorTest, ManyThreadsGetTheSame) {
  std::vector<std::vector<std::vector<Ring>>> areas;
  for (int i = 0; i < 30; ++i) {
    for (int j = 0; j < 30; ++j) areas.push_back({{box(i, j, i + 1, j + 1)}});
  }
  const ZoneLocator at = locator_of(areas);
  std::vector<std::int64_t> sums(4);
  std::vector<std::thread> threads;
  for (std::int64_t& sum : sums) {
    threads.emplace_back([&at, &sum] {
      for (int k = 0; k < 20000; ++k) sum += at.locate(k % 297 / 10.0, k % 311 / 11.0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::int64_t sum : sums) EXPECT_EQ(sum, sums[0]);
  EXPECT_GT(sums[0], 0);
}

}  // namespace
}  // namespace stopover
