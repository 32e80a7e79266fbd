#include "explore/top_flows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "explore/stop_cells.h"
#include "query/synthetic_release.h"

namespace stopover {
namespace {

std::vector<TopFlows::MapStop> boards(const Domain& domain, std::uint32_t zones) {
  return {{0, 1, TopFlows::board(domain, 0, 1, zones)}, {2, 3, TopFlows::board(domain, 2, 3, zones)}};
}

std::vector<double> all_flows(const Domain& domain, const BoxIndex& index, std::uint32_t zones,
                              const BoxQuery& within) {
  std::vector<double> sizes;
  Answerer ask(index, {.intervals = false});
  for (std::uint32_t from = 0; from < zones * zones; ++from) {
    for (std::uint32_t to = 0; to < zones * zones; ++to) {
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
    TopFlows flows(release.domain, *index, boards(release.domain, 4), RegionQuery::of(within));
    while (flows.found().size() < 25 && flows.search(64)) {
    }
    ASSERT_GE(flows.found().size(), 25u);
    for (std::size_t i = 0; i < 25; ++i) {
      EXPECT_NEAR(flows.found()[i].estimate, all[i], 1e-9 * (1 + all[i])) << i;
    }
  }
}

// What stays in one place is a flow as any other: the largest of a city often does.
TEST(TopFlows, ListsWhatStaysWhereItIs) {
  const Release release = synthetic::daf_like({30, 21, 30, 21}, {4, 4, 3, 3}, 100'000'000, 5);
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  TopFlows flows(release.domain, *index, boards(release.domain, 2), RegionQuery::of(BoxQuery::whole(release.domain)));
  while (flows.search(64)) {
  }
  std::size_t staying = 0;
  double sum = 0;
  for (const TopFlows::Way& way : flows.found()) {
    staying += way.places[0] == way.places[1];
    sum += way.estimate;
  }
  EXPECT_EQ(staying, 4u);
  const double all = Answerer(*index, {.intervals = false})(BoxQuery::whole(release.domain)).estimate;
  EXPECT_NEAR(sum, all, 1e-9 * all);
}

// Areas: the boxes around them are only what the search goes by.
TEST(TopFlows, FindsFlowsBetweenAreas) {
  const Release release = synthetic::daf_like({30, 20, 30, 20}, {4, 4, 3, 3}, 100'000'000, 5);
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  const auto areas = [&](std::size_t x, std::size_t y) {
    std::vector<RegionQuery> places;
    for (const double at : {2.5, 9.0, 14.0, 16.5}) {
      const Ring ring = {{at, at / 2}, {at + 12, at / 2 + 1}, {at + 3, at / 2 + 10}};
      RegionQuery place = RegionQuery::of(BoxQuery::whole(release.domain));
      place.add(make_plane(*index, x, y, Coverage::of_rings(std::array{ring}, {{0, 30}, {0, 20}})));
      places.push_back(place);
    }
    return places;
  };
  const std::vector<TopFlows::MapStop> stops = {{0, 1, areas(0, 1)}, {2, 3, areas(2, 3)}};
  TopFlows flows(release.domain, *index, stops, RegionQuery::of(BoxQuery::whole(release.domain)));
  while (flows.search(16)) {
  }
  Answerer ask(*index, {.intervals = false});
  std::vector<double> all;
  for (const RegionQuery& from : stops[0].places) {
    for (const RegionQuery& to : stops[1].places) {
      RegionQuery both = from;
      both.add(to.planes[0]);
      all.push_back(ask(both).estimate);
    }
  }
  std::sort(all.rbegin(), all.rend());
  ASSERT_EQ(flows.found().size(), 16u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_NEAR(flows.found()[i].estimate, all[i], 1e-9 * (1 + all[i])) << i;
    EXPECT_NEAR(ask(flows.query_of(flows.found()[i])).estimate, all[i], 1e-9 * (1 + all[i])) << i;
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
      all.push_back(ask(box).estimate);
    }
  }
  std::sort(all.rbegin(), all.rend());
  const RegionQuery whole = RegionQuery::of(BoxQuery::whole(release.domain));
  const std::vector<TopFlows::MapStop> zones = {{0, 0, TopFlows::cells(release.domain, 0)},
                                                {3, 3, TopFlows::cells(release.domain, 3)}};
  TopFlows flows(release.domain, *index, zones, whole);
  while (flows.found().size() < 20 && flows.search(64)) {
  }
  ASSERT_GE(flows.found().size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    const TopFlows::Way& way = flows.found()[i];
    EXPECT_NEAR(way.estimate, all[i], 1e-9 * (1 + all[i])) << i;
    EXPECT_NEAR(ask(flows.query_of(way)).estimate, way.estimate, 1e-9 * (1 + way.estimate)) << i;
    EXPECT_EQ(flows.query_of(way).box.lo[3], way.places[1]);
  }
  // A board between zones: squares there, zones here.
  TopFlows mixed(release.domain, *index, {zones[0], {1, 2, TopFlows::board(release.domain, 1, 2, 4)}}, whole);
  while (mixed.found().empty() && mixed.search(64)) {
  }
  ASSERT_FALSE(mixed.found().empty());
  EXPECT_LT(mixed.found()[0].places[1], 16u);
  EXPECT_NEAR(ask(mixed.query_of(mixed.found()[0])).estimate, mixed.found()[0].estimate, 1e-9);
}

TEST(TopFlows, EndsWhenNothingIsLeft) {
  const Release release = synthetic::flat({4, 4, 4, 4}, {2, 2, 2, 2}, 100'000'000);
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  TopFlows flows(release.domain, *index, boards(release.domain, 2), RegionQuery::of(BoxQuery::whole(release.domain)));
  while (flows.search(16)) {
  }
  EXPECT_LE(flows.found().size(), 16u);
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
