#include "zones/zone_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stopover {
namespace {

std::vector<std::string> ordered(const std::vector<ZoneRecord>& zones, ZoneForm form = ZoneForm::points) {
  std::vector<std::string> ids;
  for (const std::uint32_t z : zone_order(zones, form)) ids.push_back(zones[z].id);
  return ids;
}

TEST(ZoneOrderTest, HalvesByTheLongerSide) {
  // Three by two, wider than high: west before east, in each half south before north.
  const std::vector<ZoneRecord> zones = {
      {"NE", {3, 1}, {}, {}}, {"SW", {0, 0}, {}, {}}, {"NW", {0, 1}, {}, {}}, {"SE", {3, 0}, {}, {}}};
  EXPECT_EQ(ordered(zones), (std::vector<std::string>{"SW", "NW", "SE", "NE"}));
}

TEST(ZoneOrderTest, MeasuresInMetres) {
  // 1.5 degrees of longitude at 60 degrees north are shorter than one of latitude.
  const std::vector<ZoneRecord> north = {{"b", {1.5, 60}, {}, {}}, {"a", {0, 61}, {}, {}}};
  EXPECT_EQ(ordered(north), (std::vector<std::string>{"b", "a"}));
  const std::vector<ZoneRecord> equator = {{"b", {1.5, 0}, {}, {}}, {"a", {0, 1}, {}, {}}};
  EXPECT_EQ(ordered(equator), (std::vector<std::string>{"a", "b"}));
}

TEST(ZoneOrderTest, GroupsStandTogetherAndAreOrderedByPlace) {
  // Districts A (east) and B (west) in region N; C in region S, which lies south.
  const std::vector<ZoneRecord> zones = {{"1", {5, 9}, {}, {"A", "N"}},
                                         {"2", {0, 9}, {}, {"B", "N"}},
                                         {"3", {9, 0}, {}, {"C", "S"}},
                                         {"4", {6, 9}, {}, {"A", "N"}},
                                         {"5", {7.5, 9}, {}, {"B", "N"}}};
  EXPECT_EQ(ordered(zones), (std::vector<std::string>{"3", "2", "5", "1", "4"}));
}

TEST(ZoneOrderTest, DoesNotFollowTheFile) {
  std::mt19937_64 random(3);
  std::vector<ZoneRecord> zones;
  for (int i = 0; i < 500; ++i) {
    // Few places, so that there are many ties.
    zones.push_back({std::to_string(i),
                     {static_cast<double>(random() % 7) / 3, static_cast<double>(random() % 5) / 3},
                     {},
                     {"d" + std::to_string(i % 9), "r" + std::to_string(i % 3)}});
  }
  const std::vector<std::string> first = ordered(zones);
  for (int round = 0; round < 10; ++round) {
    std::shuffle(zones.begin(), zones.end(), random);
    ASSERT_EQ(ordered(zones), first);
  }
  EXPECT_NE(ordered(zones, ZoneForm::names), first);
}

// Two groups at the same nine places: their means are equal but for the last bits, which follow the order of summing.
TEST(ZoneOrderTest, NotEvenTheLastBitsOfMeansFollowTheFile) {
  std::mt19937_64 random(5);
  std::vector<ZoneRecord> zones;
  for (int i = 0; i < 18; ++i) {
    const int place = i % 2 == 0 ? i / 2 : 8 - i / 2;
    zones.push_back({std::to_string(i), {0.1 * (place + 1), 0}, {}, {i % 2 == 0 ? "even" : "odd"}});
  }
  const std::vector<std::string> first = ordered(zones);
  for (int round = 0; round < 50; ++round) {
    std::shuffle(zones.begin(), zones.end(), random);
    ASSERT_EQ(ordered(zones), first);
  }
}

// The bisection by its definition, written the slow way: whole sorts.
void slow(std::vector<ZoneRecord> zones, std::vector<std::string>& out) {
  if (zones.size() == 1) out.push_back(zones[0].id);
  if (zones.size() < 2) return;
  const auto [w, e] =
      std::minmax_element(zones.begin(), zones.end(), [](auto& a, auto& b) { return a.place.x < b.place.x; });
  const auto [s, n] =
      std::minmax_element(zones.begin(), zones.end(), [](auto& a, auto& b) { return a.place.y < b.place.y; });
  const bool by_x = e->place.x - w->place.x > n->place.y - s->place.y;  // at the equator
  std::sort(zones.begin(), zones.end(), [&](auto& a, auto& b) {
    const double p = by_x ? a.place.x : a.place.y, q = by_x ? b.place.x : b.place.y;
    return p != q ? p < q : a.id < b.id;
  });
  const auto half = static_cast<std::ptrdiff_t>(zones.size() / 2);
  slow({zones.begin(), zones.begin() + half}, out);
  slow({zones.begin() + half, zones.end()}, out);
}

TEST(ZoneOrderTest, IsTheBisectionByItsDefinition) {
  std::mt19937_64 random(9);
  std::vector<ZoneRecord> zones;
  for (int i = 0; i < 777; ++i) {
    zones.push_back({std::to_string(i),
                     {static_cast<double>(random() % 1000) / 1e5, static_cast<double>(random() % 700) / 1.03e5},
                     {},
                     {}});
  }
  std::vector<std::string> expected;
  slow(zones, expected);
  EXPECT_EQ(ordered(zones), expected);
}

}  // namespace
}  // namespace stopover
