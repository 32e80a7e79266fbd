#include "geo/wkb.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace stopover {
namespace {

struct Bytes {
  std::string text;
  bool little = true;

  Bytes& raw(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) text.push_back(static_cast<char>(value >> 8 * (little ? i : size - 1 - i)));
    return *this;
  }
  Bytes& head(std::uint32_t type) { return raw(little ? 1 : 0, 1).raw(type, 4); }
  Bytes& count(std::uint32_t n) { return raw(n, 4); }
  Bytes& number(double x) { return raw(std::bit_cast<std::uint64_t>(x), 8); }
  Bytes& square(double west, double south, double side, int more = 0) {
    count(5);
    for (const auto& [x, y] : {std::pair(0, 0), {1, 0}, {1, 1}, {0, 1}, {0, 0}}) {
      number(west + x * side).number(south + y * side);
      for (int i = 0; i < more; ++i) number(9);
    }
    return *this;
  }
};

Shape shape_of(const Bytes& bytes) {
  auto read = geometry_of_wkb(bytes.text, "zone 1");
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  if (!read || !std::holds_alternative<Shape>(*read)) return {};
  return std::get<Shape>(*read);
}

std::string error_of(const Bytes& bytes) {
  const auto read = geometry_of_wkb(bytes.text, "zone 1");
  EXPECT_TRUE(read || read.error().failure == Failure::bad_input);
  return read ? "fine" : read.error().message;
}

TEST(WkbTest, AreasInBothByteOrdersWithHeightsAndMeasures) {
  for (const bool little : {true, false}) {
    EXPECT_NEAR(area(shape_of(Bytes{.text = "", .little = little}.head(3).count(2).square(1, 2, 4).square(2, 3, 1))),
                15, 1e-12);
    EXPECT_EQ(shape_of(Bytes{.text = "", .little = little}.head(1003).count(1).square(1, 2, 4, 1)).rings()[0][0],
              (PlanePoint{1, 2}));
  }
  for (const std::uint32_t type : {3003U, 3U | 0xC0000000U}) {
    EXPECT_NEAR(area(shape_of(Bytes{}.head(type).count(1).square(1, 2, 4, 2))), 16, 1e-12);
  }
  EXPECT_NEAR(area(shape_of(Bytes{}.head(3U | 0x20000000U).count(4326).count(1).square(1, 2, 4))), 16, 1e-12);
  Bytes two;
  two.head(6).count(2).head(3).count(1).square(0, 0, 1).head(3).count(1).square(5, 5, 2);
  EXPECT_EQ(shape_of(two).polygons.size(), 2u);
}

TEST(WkbTest, APoint) {
  const auto read = geometry_of_wkb(Bytes{}.head(1).number(-122).number(37).text, "zone 1");
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<PlanePoint>(*read), (PlanePoint{-122, 37}));
}

TEST(WkbTest, WhatIsNoAreaIsRefused) {
  const auto says = [](const Bytes& bytes, const std::string& words) {
    const std::string error = error_of(bytes);
    EXPECT_NE(error.find(words), std::string::npos) << error;
    EXPECT_TRUE(error.starts_with("zone 1 ")) << error;
  };
  says(Bytes{}, "ends too early");
  says(Bytes{"\7"}, "byte order");
  says(Bytes{}.head(2).count(0), "is of type LineString");
  says(Bytes{}.head(99), "is of type 99");
  says(Bytes{}.head(3).count(1).square(551000, 4180000, 10), "not metres");
  says(Bytes{}.head(3).count(1).square(37, -122, .1), "swapped");
  says(Bytes{}.head(1).number(std::nan("")).number(1), "not on the globe");
  says(Bytes{}.head(3U | 0x20000000U).count(3857).count(1).square(1, 2, 4), "EPSG:3857");
  says(Bytes{}.head(3).count(1).count(3).number(0).number(0).number(1).number(0).number(1).number(1), "not closed");
  says(Bytes{}.head(3).count(1).count(0xffffffff), "ends too early");
  says(Bytes{}.head(3).count(0), "no area");
  says(Bytes{}.head(3).count(1).square(0, 0, 1).raw(0, 1), "bytes after");
  Bytes whole;
  whole.head(6).count(1).head(3).count(1).square(0, 0, 1);
  for (std::size_t n = 0; n < whole.text.size(); ++n) says(Bytes{whole.text.substr(0, n)}, "");
}

TEST(WkbTest, WhatIsWrittenIsReadAgain) {
  const auto point = geometry_of_wkb(wkb_of_point({-122.4, 37.7}), "p");
  ASSERT_TRUE(point);
  EXPECT_EQ(std::get<PlanePoint>(*point), (PlanePoint{-122.4, 37.7}));
  Bytes square;
  square.head(3).count(1).square(-1, 2, 0.5);
  EXPECT_EQ(wkb_of_rectangle({-1, 2}, {-0.5, 2.5}), square.text);
  Bytes areas;  // a ring that is closed and one that is not, which is a hole
  areas.head(6).count(2).head(3).count(2).square(0, 0, 4).square(1, 1, 2).head(3).count(1).square(9, 9, 1);
  EXPECT_EQ(wkb_of_areas({{{{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}}, {{1, 1}, {3, 1}, {3, 3}, {1, 3}}},
                          {{{9, 9}, {10, 9}, {10, 10}, {9, 10}}}}),
            areas.text);
}

}  // namespace
}  // namespace stopover
