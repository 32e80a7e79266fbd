#include "page/strong_flows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "page/template.h"
#include "release/sample_release.h"

namespace stopover {
namespace {

void expect_sound(const StrongFlows& all) {
  ASSERT_FALSE(all.flows.empty());
  for (const StrongFlow& flow : all.flows) {
    EXPECT_EQ(flow.names.size(), all.stops);
    EXPECT_EQ(flow.where.size(), all.stops);
    EXPECT_EQ(std::adjacent_find(flow.names.begin(), flow.names.end()), flow.names.end()) << "what stays is left out";
    EXPECT_LE(flow.lower, flow.estimate + 1e-9);
    EXPECT_GE(flow.upper, flow.estimate - 1e-9);
  }
  for (std::size_t i = 1; i < all.flows.size(); ++i)
    EXPECT_GE(all.flows[i - 1].estimate, all.flows[i].estimate - 1e-9) << "the largest first";
}

TEST(StrongFlows, NamesSquaresOfABox) {
  const Release city = sample::city();
  const Result<StrongFlows> all = strong_flows(city, 10);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->stops, 2u);  // the purpose is no place
  EXPECT_FALSE(all->zones);
  EXPECT_EQ(all->places, 64u);
  expect_sound(*all);
  EXPECT_EQ(all->flows.size(), 10u);
  for (const StrongFlow& flow : all->flows) EXPECT_EQ(flow.at.size(), 2u);
  const std::string svg = strong_flows_svg(*all, city);
  EXPECT_NE(svg.find(">10</text>"), std::string::npos) << "numbered to the last";
  EXPECT_NE(svg.find(" km</text>"), std::string::npos);
}

TEST(StrongFlows, NamesZones) {
  const Release stations = sample::stations();
  const Result<StrongFlows> all = strong_flows(stations, 3);
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->zones);
  EXPECT_EQ(all->places, 3u);
  expect_sound(*all);
  EXPECT_FALSE(strong_flows_svg(*all, stations).empty());
}

TEST(StrongFlows, HasNothingToNameInABareMatrix) {
  const Release matrix = sample::paper(0, 0, 0);
  const Result<StrongFlows> all = strong_flows(matrix, 10);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->stops, 0u);
  EXPECT_TRUE(all->flows.empty());
  EXPECT_EQ(strong_flows_svg(*all, matrix), "");
}

TEST(StrongFlows, SaysHowFarFromATown) {
  if (world_map().empty()) GTEST_SKIP() << "built without the map";
  EXPECT_EQ(near_town({-30, -40}), "") << "in the middle of the sea";
  EXPECT_NE(near_town({-118.25, 34.0}).find("Los Angeles"), std::string::npos);
}

}  // namespace
}  // namespace stopover
