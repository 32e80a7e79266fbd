#include "query/box_query.h"

#include <gtest/gtest.h>

#include <string>

namespace stopover {
namespace {

Domain city() {
  return *Domain::make({{"lon", 20, AxisKind::longitude, -122.5, -122.3, {}},
                        {"lat", 10, AxisKind::latitude, 37.7, 37.8, {}},
                        {"purpose", 3, AxisKind::category, 0, 3, {"work", "school", "other"}}});
}

testing::AssertionResult says(const Error& error, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts) {
    if (error.message.find(part) == std::string::npos) {
      return testing::AssertionFailure() << "\"" << part << "\" is not in: " << error.message;
    }
  }
  return testing::AssertionSuccess();
}

TEST(BoxQueryTest, ParsesCells) {
  const Domain domain = *Domain::of_shape({32, 32, 32, 1});
  const Result<BoxQuery> q = parse_box(domain, "a0=0:16,a2=4:20");
  ASSERT_TRUE(q);
  EXPECT_EQ(q->axes, 4u);
  EXPECT_EQ(q->lo[0], 0);
  EXPECT_EQ(q->hi[0], 16);
  EXPECT_EQ(q->lo[1], 0);
  EXPECT_EQ(q->hi[1], 32);
  EXPECT_EQ(q->lo[2], 4);
  EXPECT_EQ(q->hi[2], 20);
  EXPECT_EQ(q->hi[3], 1);
  EXPECT_TRUE(parse_box(domain, "a1=31:32"));
  EXPECT_EQ(*parse_box(domain, "a2=4:20,a0=0:16"), *q) << "the order of pieces does not matter";
  EXPECT_EQ(*parse_box(domain, "a0=0:32,a1=0:32,a2=0:32,a3=0:1"), BoxQuery::whole(domain));
}

TEST(BoxQueryTest, BadCellsNameThePiece) {
  const Domain domain = *Domain::of_shape({32, 8});
  const auto error = [&](std::string_view text) {
    const Result<BoxQuery> q = parse_box(domain, text);
    EXPECT_FALSE(q) << text;
    EXPECT_EQ(q.error().failure, Failure::usage);
    return q.error();
  };
  EXPECT_TRUE(says(error("a0=5:5"), {"\"a0=5:5\"", "empty"}));
  EXPECT_TRUE(says(error("a0=9:5"), {"\"a0=9:5\"", "reversed"}));
  EXPECT_TRUE(says(error("a0=0:33"), {"\"a0=0:33\"", "33", "a0 has 32 cells", "a0=0:32"}));
  EXPECT_TRUE(says(error("a0=0:16,a1=3:99999999999999999999"), {"\"a1=3:99999999999999999999\""}));
  EXPECT_TRUE(says(error("a0=-1:4"), {"\"-1\"", "whole cell numbers"}));
  EXPECT_TRUE(says(error("a0=0.5:4"), {"\"0.5\"", "`range`"}));
  EXPECT_TRUE(says(error("a0=0:x"), {"\"x\""}));
  EXPECT_TRUE(says(error("a0=:4"), {"\"a0=:4\""}));
  EXPECT_TRUE(says(error("a0=4"), {"\"a0=4\"", "axis=lo:hi"}));
  EXPECT_TRUE(says(error("a0"), {"\"a0\"", "axis=lo:hi"}));
  EXPECT_TRUE(says(error(""), {"axis=lo:hi"}));
  EXPECT_TRUE(says(error("a0=0:4,"), {"axis=lo:hi"}));
  EXPECT_TRUE(says(error("=0:4"), {"\"=0:4\""}));
  EXPECT_TRUE(says(error("a0=0:4,a0=5:6"), {"\"a0=5:6\"", "second time"}));
  EXPECT_TRUE(says(error("a0=nan:4"), {"\"nan\""}));
}

TEST(BoxQueryTest, UnknownAxesGetTheNearestName) {
  EXPECT_TRUE(says(parse_box(city(), "lom=0:3").error(),
                   {"no axis \"lom\"", "lom=0:3", "lon, lat, purpose", "Did you mean lon?"}));
  EXPECT_TRUE(says(parse_range(city(), "porpose=work").error(), {"Did you mean purpose?"}));
  const Error far = parse_box(city(), "xyzzy=0:3").error();
  EXPECT_TRUE(says(far, {"no axis \"xyzzy\""}));
  EXPECT_EQ(far.message.find("Did you mean"), std::string::npos);
}

TEST(BoxQueryTest, ParsesCoordinates) {
  const Result<BoxQuery> q = parse_range(city(), "lon=-122.445:-122.3,purpose=school");
  ASSERT_TRUE(q) << q.error().message;
  EXPECT_NEAR(q->lo[0], 5.5, 1e-9);
  EXPECT_EQ(q->hi[0], 20);
  EXPECT_EQ(q->lo[1], 0);
  EXPECT_EQ(q->hi[1], 10);
  EXPECT_EQ(q->lo[2], 1);
  EXPECT_EQ(q->hi[2], 2);
}

TEST(BoxQueryTest, CoordinatesOfTheLatticeAreAligned) {
  const Domain domain = city();
  for (int cell = 0; cell < 19; ++cell) {
    const std::string text = "lon=-122." + std::to_string(50 - cell) + ":-122." + std::to_string(49 - cell);
    const Result<BoxQuery> q = parse_range(domain, text);
    ASSERT_TRUE(q) << text;
    EXPECT_EQ(q->lo[0], cell);
    EXPECT_EQ(q->hi[0], cell + 1);
  }
}

TEST(BoxQueryTest, CoordinatesAreClippedToTheAxis) {
  const Result<BoxQuery> q = parse_range(city(), "lat=0:37.75");
  ASSERT_TRUE(q);
  EXPECT_EQ(q->lo[1], 0);
  EXPECT_NEAR(q->hi[1], 5, 1e-9);
}

TEST(BoxQueryTest, BadCoordinatesNameThePiece) {
  const Domain domain = city();
  const auto error = [&](std::string_view text) {
    const Result<BoxQuery> q = parse_range(domain, text);
    EXPECT_FALSE(q) << text;
    return q.error();
  };
  EXPECT_TRUE(says(error("lon=122.3:122.5"), {"\"lon=122.3:122.5\"", "outside axis lon", "-122.5 to -122.3"}));
  EXPECT_TRUE(says(error("lon=-122.3:-122.5"), {"reversed"}));
  EXPECT_TRUE(says(error("lon=-122.4:-122.4"), {"empty"}));
  EXPECT_TRUE(says(error("lon=-122.4"), {"axis=lo:hi"}));
  EXPECT_TRUE(says(error("lon=west:-122.4"), {"decimal"}));
  EXPECT_TRUE(says(error("lon=1e5:2e5"), {"decimal"}));
  EXPECT_TRUE(says(error("lon=.:1"), {"decimal"}));
  EXPECT_TRUE(says(error("purpose=scholl"), {"no label \"scholl\"", "work, school, other", "Did you mean school?"}));
}

TEST(BoxQueryTest, Intersections) {
  const Domain domain = *Domain::of_shape({32, 8});
  const BoxQuery a = *parse_box(domain, "a0=0:16"), b = *parse_box(domain, "a0=10:20,a1=2:3");
  const BoxQuery both = intersect(a, b);
  EXPECT_EQ(both.lo[0], 10);
  EXPECT_EQ(both.hi[0], 16);
  EXPECT_EQ(both.hi[1], 3);
  EXPECT_FALSE(both.empty());
  EXPECT_TRUE(intersect(a, *parse_box(domain, "a0=16:20")).empty());
  EXPECT_EQ(BoxQuery::of(domain.whole()), BoxQuery::whole(domain));
}

}  // namespace
}  // namespace stopover
