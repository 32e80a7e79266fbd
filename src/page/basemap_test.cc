#include "page/basemap.h"

#include <gtest/gtest.h>

#include "page/template.h"

namespace stopover {
namespace {

void put(std::string& bytes, std::int64_t value, bool zigzag) {
  auto n = static_cast<std::uint64_t>(zigzag ? (value < 0 ? -2 * value - 1 : 2 * value) : value);
  for (; n >= 0x80; n >>= 7) bytes += static_cast<char>((n & 0x7f) | 0x80);
  bytes += static_cast<char>(n);
}

// One square of land from (0, 0) to (2, 2) degrees, one border across it.
std::string sample() {
  std::string bytes;
  put(bytes, 1, false);
  put(bytes, 4, false);
  for (const auto& [x, y] : {std::pair(0, 0), {20000, 0}, {0, 20000}, {-20000, 0}}) {
    put(bytes, x, true);
    put(bytes, y, true);
  }
  put(bytes, 1, false);
  put(bytes, 3, false);
  for (const auto& [x, y] : {std::pair(-10000, 10000), {15000, 0}, {30000, 0}}) {
    put(bytes, x, true);
    put(bytes, y, true);
  }
  put(bytes, 2, false);
  for (const auto& [name, x] : {std::pair<std::string, int>("Far", 30000), {"Près", 10000}}) {
    put(bytes, static_cast<std::int64_t>(name.size()), false);
    bytes += name;
    put(bytes, x, true);
    put(bytes, 7500, true);
  }
  return bytes;
}

TEST(Basemap, IsCutToTheBox) {
  const Basemap map = cut_basemap(sample(), {0.5, 0.5, 1.5, 3});
  ASSERT_EQ(map.land.size(), 1u);
  ASSERT_EQ(map.borders.size(), 1u);
  ASSERT_EQ(map.towns.size(), 1u);
  EXPECT_EQ(map.towns[0].name, "Près");
  EXPECT_EQ(map.towns[0].lon, 1);
  EXPECT_EQ(map.towns[0].lat, 0.75);
  std::int32_t x = 0, y = 0, most_x = 0, most_y = 0;
  for (std::size_t i = 0; i < map.land[0].size(); i += 2) {
    x += map.land[0][i];
    y += map.land[0][i + 1];
    EXPECT_GE(x, 5000);
    EXPECT_GE(y, 5000);
    most_x = std::max(most_x, x);
    most_y = std::max(most_y, y);
  }
  EXPECT_EQ(most_x, 15000);
  EXPECT_EQ(most_y, 20000);
  EXPECT_TRUE(cut_basemap(sample(), {5, 5, 6, 6}).land.empty());
}

TEST(Basemap, SurvivesDamage) {
  const std::string bytes = sample();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    cut_basemap(std::string_view(bytes).substr(0, size), {0, 0, 1, 1});
  EXPECT_TRUE(cut_basemap(std::string(20, '\xff'), {0, 0, 1, 1}).land.empty());
}

TEST(Basemap, KnowsTheWorld) {
  if (page_template().empty()) GTEST_SKIP() << "built without the page";
  EXPECT_FALSE(cut_basemap(world_map(), {-122.6, 37.6, -122.2, 37.9}).land.empty());  // San Francisco's bay
  EXPECT_TRUE(cut_basemap(world_map(), {-0.1, -0.1, 0.1, 0.1}).land.empty());         // the sea
  EXPECT_FALSE(cut_basemap(world_map(), {7.5, 47.5, 7.7, 47.6}).borders.empty());     // Basel
  std::size_t numbers = 0;
  for (const BasemapLine& line : cut_basemap(world_map(), {-180, -90, 180, 90}).land) numbers += line.size();
  EXPECT_LT(numbers, 200'000u);
}

}  // namespace
}  // namespace stopover
