#include "explore/top_flows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "explore/stop_cells.h"
#include "query/synthetic_release.h"

namespace stopover {
namespace {

std::vector<double> all_flows(const Domain& domain, const BoxIndex& index, std::uint32_t zones,
                              const BoxQuery& within) {
  std::vector<double> sizes;
  Answerer ask(index, {.intervals = false});
  for (std::uint32_t from = 0; from < zones * zones; ++from) {
    for (std::uint32_t to = 0; to < zones * zones; ++to) {
      if (from == to) continue;
      BoxQuery box = BoxQuery::whole(domain);
      const std::uint32_t at[] = {from % zones, from / zones, to % zones, to / zones};
      for (std::size_t i = 0; i < 4; ++i) {
        const Interval side = TopFlows::part(at[i], zones, domain.axis(i).cells);
        box.lo[i] = side.lo;
        box.hi[i] = side.hi;
      }
      box = intersect(box, within);
      if (!box.empty()) sizes.push_back(ask(box).estimate);
    }
  }
  std::sort(sizes.rbegin(), sizes.rend());
  return sizes;
}

TEST(TopFlows, FindsWhatAskingForAllFlowsFinds) {
  const Release release = synthetic::daf_like({30, 21, 30, 21}, {4, 4, 3, 3}, 100'000'000, 5);
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  BoxQuery within = BoxQuery::whole(release.domain);
  for (const double west : {0.0, 11.5}) {
    within.lo[2] = west;
    const std::vector<double> all = all_flows(release.domain, *index, 4, within);
    TopFlows flows(release.domain, *index, {{0, 0, 1}, {1, 2, 3}}, 4, RegionQuery::of(within));
    while (flows.found().size() < 25 && flows.search(64)) {
    }
    ASSERT_GE(flows.found().size(), 25u);
    for (std::size_t i = 0; i < 25; ++i) {
      EXPECT_NEAR(flows.found()[i].estimate, all[i], 1e-9 * (1 + all[i])) << i;
      EXPECT_NE(flows.found()[i].zones[0], flows.found()[i].zones[1]);
    }
  }
}

TEST(TopFlows, FindsFlowsBetweenZonesOfTheStopsThemselves) {
  // 300 zones, more than a byte counts, at two stops; between them a map.
  const Release release = synthetic::daf_like({300, 8, 8, 300}, {20, 2, 2, 15}, 100'000'000, 5);
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  Answerer ask(*index, {.intervals = false});
  std::vector<double> all;
  for (std::uint32_t from = 0; from < 300; ++from) {
    for (std::uint32_t to = 0; to < 300; ++to) {
      BoxQuery box = BoxQuery::whole(release.domain);
      box.lo[0] = from, box.hi[0] = from + 1, box.lo[3] = to, box.hi[3] = to + 1;
      if (from != to) all.push_back(ask(box).estimate);
    }
  }
  std::sort(all.rbegin(), all.rend());
  const RegionQuery whole = RegionQuery::of(BoxQuery::whole(release.domain));
  TopFlows flows(release.domain, *index, {{0, 0, 0}, {1, 3, 3}}, 8, whole);
  while (flows.found().size() < 20 && flows.search(64)) {
  }
  ASSERT_GE(flows.found().size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    const TopFlows::Way& way = flows.found()[i];
    EXPECT_NEAR(way.estimate, all[i], 1e-9 * (1 + all[i])) << i;
    EXPECT_NE(way.zones[0], way.zones[1]);
    EXPECT_NEAR(ask(flows.query_of(way)).estimate, way.estimate, 1e-9 * (1 + way.estimate)) << i;
    EXPECT_EQ(flows.query_of(way).box.lo[3], way.zones[1]);
  }
  // A board between zones: squares there, zones here.
  TopFlows mixed(release.domain, *index, {{0, 0, 0}, {1, 1, 2}}, 4, whole);
  while (mixed.found().empty() && mixed.search(64)) {
  }
  ASSERT_FALSE(mixed.found().empty());
  EXPECT_LT(mixed.found()[0].zones[1], 16u);
  EXPECT_NEAR(ask(mixed.query_of(mixed.found()[0])).estimate, mixed.found()[0].estimate, 1e-9);
}

TEST(TopFlows, EndsWhenNothingIsLeft) {
  const Release release = synthetic::flat({4, 4, 4, 4}, {2, 2, 2, 2}, 100'000'000);
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  TopFlows flows(release.domain, *index, {{0, 0, 1}, {1, 2, 3}}, 2, RegionQuery::of(BoxQuery::whole(release.domain)));
  while (flows.search(16)) {
  }
  EXPECT_LE(flows.found().size(), 12u);
  EXPECT_FALSE(flows.search(16));
}

TEST(StopCells, TileTheMap) {
  const Release own = synthetic::daf_like({60, 40}, {7, 7}, 100'000'000, 3);
  const Release other = synthetic::daf_like({60, 40, 9, 9}, {4, 4, 2, 2}, 100'000'000, 3);
  for (const auto& [release, table_of_its_own] : {std::pair(own, true), std::pair(other, false)}) {
    const Result<BoxIndex> index = BoxIndex::make(release);
    ASSERT_TRUE(index);
    for (const std::size_t most : {1u, 20u, 1000u}) {
      const StopCells cells = stop_cells(release, *index, 0, 1, most);
      EXPECT_EQ(cells.own, table_of_its_own);
      EXPECT_LE(cells.cells.size(), std::max<std::size_t>(most, 4));
      std::vector<int> seen(60 * 40, 0);
      for (const StopCells::Cell& cell : cells.cells) {
        for (std::uint32_t x = cell.x.lo; x < cell.x.hi; ++x) {
          for (std::uint32_t y = cell.y.lo; y < cell.y.hi; ++y) ++seen[x * 40 + y];
        }
      }
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 60 * 40);
    }
  }
}

}  // namespace
}  // namespace stopover
