#include "domain/domain.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

TEST(Domain, ShapeOfABareMatrix) {
  const auto domain = Domain::of_shape({32, 1, 1000});
  ASSERT_TRUE(domain);
  EXPECT_EQ(domain->d(), 3u);
  EXPECT_EQ(domain->shape_text(), "32x1x1000");
  EXPECT_TRUE(domain->volume() == 32000);
  EXPECT_EQ(domain->find_axis("a2"), 2);
  EXPECT_EQ(domain->find_axis("b"), -1);
  EXPECT_EQ(domain->stops().size(), 3u);
}

TEST(Domain, CoordinatesLieInCells) {
  const Axis lon{"lon", 10, AxisKind::longitude, -1, 1, {}};
  for (int i = 0; i <= 10; ++i) {
    EXPECT_EQ(lon.locate(-1 + 0.2 * i), i);  // an edge of a cell, however -1 + 0.2 i is rounded
    EXPECT_EQ(lon.locate_within(lon.edge(static_cast<std::uint32_t>(i))), i);
  }
  EXPECT_DOUBLE_EQ(lon.locate(-0.9), 0.5);
  EXPECT_DOUBLE_EQ(lon.locate(-1.5), -2.5);
  EXPECT_EQ(lon.locate(-1.2), -1);
  EXPECT_EQ(lon.locate_within(-1.5), 0);
  EXPECT_EQ(lon.locate_within(1e300), 10);
  EXPECT_EQ(lon.locate_within(-1e300), 0);
}

TEST(Domain, VolumesBeyond64Bits) {
  const auto domain = Domain::of_shape(std::vector<std::uint64_t>(8, 1000));
  ASSERT_TRUE(domain);
  EXPECT_EQ(to_string(domain->volume()), "1000000000000000000000000");
}

TEST(Domain, MoreCellsThanKeys) {
  EXPECT_TRUE(Domain::of_shape(std::vector<std::uint64_t>(9, 1 << 14))->has_keys()) << "126 bits";
  EXPECT_TRUE(Domain::of_shape(std::vector<std::uint64_t>(9, 1 << 14))->check_keys());
  const auto domain = Domain::of_shape(std::vector<std::uint64_t>(10, 10'000));
  ASSERT_TRUE(domain) << "five stops of 10,000 x 10,000";
  EXPECT_FALSE(domain->has_keys());
  EXPECT_NE(domain->check_keys().error().message.find("140 bits"), std::string::npos);
  EXPECT_TRUE(domain->volume() == Box::kMostVolume) << "not what is left of 10^40 modulo 2^128";
  Box part = domain->whole();
  part[3].hi = 100;
  EXPECT_EQ(to_string(part.volume()), "1" + std::string(38, '0'));
  part[7].hi = 0;
  EXPECT_TRUE(part.volume() == 0);
  EXPECT_TRUE(Domain::of_shape(std::vector<std::uint64_t>(10, 1 << 14))->volume() == Box::kMostVolume) << "not 0";
}

TEST(Domain, RefusesWhatCannotBeCounted) {
  for (const auto& shape :
       std::vector<std::vector<std::uint64_t>>{{},
                                               {0},
                                               {5, 0, 5},
                                               {std::uint64_t{1} << 32},
                                               std::vector<std::uint64_t>(13, 2),
                                               std::vector<std::uint64_t>(6, std::uint64_t{1} << 31)}) {
    EXPECT_FALSE(Domain::of_shape(shape));
  }
}

TEST(Domain, ParsesShapes) {
  EXPECT_EQ(*Domain::parse_shape("32x32"), (std::vector<std::uint64_t>{32, 32}));
  EXPECT_EQ(*Domain::parse_shape("7"), (std::vector<std::uint64_t>{7}));
  for (const char* text : {"", "x", "3x", "x3", "3xx4", "-3", "3 x 4", "3.5", "99999999999999999999x2"}) {
    const auto shape = Domain::parse_shape(text);
    ASSERT_FALSE(shape) << text;
    EXPECT_NE(shape.error().message.find(text), std::string::npos);
  }
}

TEST(Domain, StopsOwnEveryAxisOnce) {
  const auto axis = [](const char* name) { return Axis{name, 10, AxisKind::number, 0, 10, {}}; };
  EXPECT_TRUE(Domain::make({axis("x"), axis("y")}, {{"origin", {0, 1}}}));
  EXPECT_FALSE(Domain::make({axis("x"), axis("y")}, {{"origin", {0}}}));
  EXPECT_FALSE(Domain::make({axis("x"), axis("y")}, {{"origin", {0, 1}}, {"via", {1}}}));
  EXPECT_FALSE(Domain::make({axis("x"), axis("x")}, {}));
  EXPECT_FALSE(Domain::make({{"c", 2, AxisKind::category, 0, 2, {"work"}}}, {}));
  EXPECT_TRUE(Domain::make({{"c", 2, AxisKind::category, 0, 2, {"work", "play"}}}, {}));
}

TEST(Box, IntersectsAndContains) {
  const std::array<Interval, 2> a = {Interval{0, 4}, Interval{2, 6}};
  const std::array<Interval, 2> b = {Interval{3, 9}, Interval{5, 6}};
  const Box both = intersect(Box(a), Box(b));
  EXPECT_EQ(both[0], (Interval{3, 4}));
  EXPECT_EQ(both[1], (Interval{5, 6}));
  EXPECT_TRUE(Box(a).contains(both));
  EXPECT_FALSE(Box(b).contains(Box(a)));
  EXPECT_TRUE(both.volume() == 1);
}

TEST(Domain, ZoneAxesHaveTheCellsOfTheZones) {
  const auto zones = [](const char* last) {
    Result<ZoneSet> made = ZoneSet::make({{"a", {}, {}, {}}, {last, {}, {}, {}}}, {}, ZoneForm::names);
    return std::make_shared<const ZoneSet>(std::move(*made));
  };
  const Axis axis{"from", 2, AxisKind::zone, 0, 2, {"a", "b"}};
  const Result<Domain> domain = Domain::make({axis}, {}, zones("b"));
  ASSERT_TRUE(domain);
  EXPECT_EQ(domain->zones()->size(), 2U);
  EXPECT_TRUE(*domain == *Domain::make({axis}, {}, zones("b")));
  EXPECT_FALSE(*domain == *Domain::make({axis}));
  EXPECT_FALSE(Domain::make({axis}, {}, zones("c")));
}

}  // namespace
}  // namespace stopover
