#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "query/answerer.h"
#include "query/noise_interval.h"
#include "query/synthetic_release.h"
#include "release/stop_map.h"

namespace stopover {
namespace {

Table leaves_of(const std::string& name, std::vector<std::size_t> axes, const std::vector<Box>& boxes,
                const std::vector<double>& estimates) {
  Table table;
  table.name = name;
  table.axes = std::move(axes);
  table.ticks = 100'000'000;
  table.lo.resize(table.axes.size());
  table.hi.resize(table.axes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    table.append(boxes[i], -1, std::llround(estimates[i]), 100'000'000, 0);
    table.estimate[i] = estimates[i];
  }
  return table;
}

Box box(std::initializer_list<Interval> sides) { return Box(std::vector<Interval>(sides)); }

void at_once(std::span<const std::function<void()>> work) {
  std::vector<std::jthread> threads;
  for (const auto& piece : work) threads.emplace_back(piece);
}

// Deep trees, parts below leaves: whoever builds, the same nodes with the same sums.
TEST(MapPlaces, AnIndexBuiltByTwoIsTheSame) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Release release = synthetic::any(4, seed, 3000);
    release.answer_model = AnswerModel::maps;
    for (std::size_t m = 0; m < 2; ++m) {
      const std::uint32_t width = release.domain.axis(2 * m).cells, height = release.domain.axis(2 * m + 1).cells;
      release.tables.push_back(
          leaves_of("map" + std::to_string(m + 1), {2 * m, 2 * m + 1}, {box({{0, width}, {0, height}})}, {100}));
    }
    const Result<BoxIndex> alone = BoxIndex::make(release), by_two = BoxIndex::make(release, at_once);
    ASSERT_TRUE(alone && by_two);
    ASSERT_EQ(alone->nodes().size(), by_two->nodes().size());
    EXPECT_EQ(alone->partitions(), by_two->partitions());
    Answerer first(*alone, {}), second(*by_two, {});
    synthetic::Random random(seed);
    for (int q = 0; q < 200; ++q) {
      const BoxQuery query = synthetic::some_box(release.domain, random, q % 2 == 0);
      const Answer a = first(query), b = second(query);
      for (const auto& [name, number] : kAnswerNumbers) EXPECT_EQ(a.*number, b.*number) << seed << " " << name;
      EXPECT_EQ(a.partitions_cut, b.partitions_cut);
    }
  }
}

// Two stops of one axis each; the joint table has one leaf, so the answer is the product of the maps' shares.
TEST(MapPlaces, ShareOfALeafIsTheProductOfTheMaps) {
  Release release;
  release.domain = *Domain::of_shape({4, 4});
  release.epsilon = 1'000'000'000;
  release.answer_model = AnswerModel::maps;
  release.tables.push_back(leaves_of("joint", {0, 1}, {box({{0, 4}, {0, 4}})}, {100}));
  release.tables.push_back(leaves_of("map1", {0}, {box({{0, 1}}), box({{1, 4}})}, {90, 10}));
  release.tables.push_back(leaves_of("map2", {1}, {box({{0, 2}}), box({{2, 4}})}, {20, 80}));
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  EXPECT_NEAR(answer(*index, *parse_box(release.domain, "a0=0:1")).estimate, 90, 1e-6);
  EXPECT_NEAR(answer(*index, *parse_box(release.domain, "a0=0:1,a1=2:3")).estimate, 100 * 0.9 * 0.4, 1e-6);
  EXPECT_NEAR(answer(*index, BoxQuery::whole(release.domain)).estimate, 100, 1e-9);
  BoxQuery half = BoxQuery::whole(release.domain);
  half.hi[0] = 0.5;
  EXPECT_NEAR(answer(*index, half).estimate, 45, 1e-6);
}

// A table that is its own map, smooth: leaves keep their mass, and the mass inside a leaf leans to a full neighbour.
TEST(MapPlaces, SmoothMapsKeepTheMassOfLeavesAndLeanToNeighbours) {
  Release release;
  release.domain = *Domain::of_shape({12});
  release.epsilon = 1'000'000'000;
  release.answer_model = AnswerModel::maps;
  release.tables.push_back(leaves_of("joint", {0}, {box({{0, 4}}), box({{4, 8}}), box({{8, 12}})}, {100, 20, 0}));
  release.tables[0].smooth = true;
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  const auto ask = [&](const char* text) { return answer(*index, *parse_box(release.domain, text)).estimate; };
  EXPECT_NEAR(ask("a0=4:8"), 20, 1e-6);
  EXPECT_NEAR(ask("a0=0:4"), 100, 1e-6);
  EXPECT_GT(ask("a0=4:6"), 12);
  EXPECT_NEAR(ask("a0=4:6") + ask("a0=6:8"), 20, 1e-6);
}

// Any box against a sum over all leaves, on random joint trees with random maps.
TEST(MapPlaces, IndexAgreesWithAScanOfAllLeaves) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 20; ++round) {
    Release release;
    const std::uint32_t width = 16;
    release.domain = *Domain::of_shape({width, width, width, width});
    release.epsilon = 1'000'000'000;
    release.answer_model = AnswerModel::maps;
    std::vector<Box> boxes;
    std::vector<double> estimates;
    for (std::uint32_t i = 0; i < width; i += 4) {
      for (std::uint32_t j = 0; j < width; j += 8) {
        for (std::uint32_t k = 0; k < width; k += 2) {
          boxes.push_back(box({{i, i + 4}, {j, j + 8}, {k, k + 2}, {0, width}}));
          estimates.push_back(static_cast<double>(random() % 50));
        }
      }
    }
    release.tables.push_back(leaves_of("joint", {0, 1, 2, 3}, boxes, estimates));
    std::vector<StopMap> maps;
    for (std::size_t m = 0; m < 2; ++m) {
      std::vector<Box> cells;
      std::vector<double> mass;
      for (std::uint32_t i = 0; i < width; i += 2) {
        for (std::uint32_t j = 0; j < width; j += 4) {
          cells.push_back(box({{i, i + 2}, {j, j + 4}}));
          mass.push_back(static_cast<double>(random() % 9));
        }
      }
      release.tables.push_back(leaves_of("map" + std::to_string(m + 1), {2 * m, 2 * m + 1}, cells, mass));
      release.tables.back().smooth = round % 2 == 1;
      maps.emplace_back(release.tables.back(), release.domain);
    }
    const Result<BoxIndex> index = BoxIndex::make(release), by_two = BoxIndex::make(release, at_once);
    ASSERT_TRUE(index && by_two);
    Answerer ask(*index, {}), ask_the_other(*by_two, {});
    for (int q = 0; q < 200; ++q) {
      BoxQuery query = BoxQuery::whole(release.domain);
      for (std::size_t axis = 0; axis < 4; ++axis) {
        double a = static_cast<double>(random() % (4 * width)) / 4, b = static_cast<double>(random() % (4 * width)) / 4;
        if (a > b) std::swap(a, b);
        query.lo[axis] = a;
        query.hi[axis] = b + 0.25;
      }
      double expected = 0;
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        double share = 1;
        for (std::size_t m = 0; m < 2; ++m) {
          Span side[2];
          for (std::size_t axis = 0; axis < 2; ++axis) {
            const Interval of = boxes[i][2 * m + axis];
            side[axis] = {std::max<double>(of.lo, query.lo[2 * m + axis]),
                          std::min<double>(of.hi, query.hi[2 * m + axis])};
            if (side[axis].hi <= side[axis].lo) share = 0;
          }
          if (share == 0) break;
          share *= maps[m].mass(side[0], side[1]) / maps[m].mass(boxes[i][2 * m], boxes[i][2 * m + 1]);
        }
        expected += share * estimates[i];
      }
      EXPECT_NEAR(ask(query).estimate, expected, 1e-9 * (1 + expected)) << round << " " << q;
      EXPECT_EQ(ask(query).estimate, ask_the_other(query).estimate) << round << " " << q;
    }
  }
}

// The same tree with maps that say "evenly": every number of an answer is that of the tree without maps, whose walk is
// another one.
Release with_even_maps(Release release) {
  release.answer_model = AnswerModel::maps;
  const std::size_t d = release.domain.d();
  for (std::size_t axis = 0; axis < d; axis += 2) {
    std::vector<std::size_t> axes = {axis};
    if (axis + 1 < d) axes.push_back(axis + 1);
    std::vector<Interval> whole;
    for (const std::size_t a : axes) whole.push_back({0, release.domain.axis(a).cells});
    release.tables.push_back(leaves_of("map" + std::to_string(axis / 2 + 1), axes, {Box(whole)}, {1e6}));
  }
  return release;
}

void expect_same(const Answer& a, const Answer& b, const std::string& where) {
  const auto near = [&](double x, double y, double tolerance, const char* what) {
    EXPECT_NEAR(x, y, tolerance * (1 + std::fabs(x))) << what << ", " << where;
  };
  near(a.estimate, b.estimate, 1e-8, "estimate");
  near(a.unprojected, b.unprojected, 1e-8, "unprojected");
  near(a.noise_variance, b.noise_variance, 1e-8, "variance");
  near(a.noise_upper - a.unprojected, b.noise_upper - b.unprojected, 1e-6, "half width");
  near(a.placement.inside, b.placement.inside, 1e-8, "inside");
  near(a.placement.inside_variance, b.placement.inside_variance, 1e-8, "inside's variance");
  near(a.placement.cut, b.placement.cut, 1e-8, "cut");
  near(a.placement.cut_variance, b.placement.cut_variance, 1e-8, "cut's variance");
  near(a.placement.spread, b.placement.spread, 1e-7, "spread");
  // A grid's leaves of one share count as equal ones without maps, and equal ones have the least sum of squares.
  EXPECT_LE(a.placement.clump, b.placement.clump * (1 + 1e-7) + 1e-7) << where;
  EXPECT_EQ(a.partitions_cut, b.partitions_cut) << where;
}

TEST(MapPlaces, EvenMapsGiveWhatNoMapsGive) {
  std::size_t from_cumulants = 0, unlike_leaves = 0, compared = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    for (const std::size_t d : {1, 2, 3, 4}) {
      const Release even = synthetic::any(d, 70 * d + seed, 300);
      const Release mapped = with_even_maps(even);
      const Result<BoxIndex> plain_index = BoxIndex::make(even), map_index = BoxIndex::make(mapped);
      ASSERT_TRUE(plain_index);
      ASSERT_TRUE(map_index);
      for (const BoxIndex::Node& node : map_index->nodes()) unlike_leaves += node.all_leaves && node.leaf_variance < 0;
      for (const Estimates estimates : {Estimates::consistent, Estimates::plain}) {
        Answerer ask(*plain_index, {.estimates = estimates}), ask_maps(*map_index, {.estimates = estimates});
        const NoiseInterval interval(0.95);
        synthetic::Random random(seed);
        for (int i = 0; i < 60; ++i) {
          const BoxQuery query = synthetic::some_box(even.domain, random, i % 2 == 0);
          const NoiseList noise = ask.noise(query);
          NoiseCumulants sum = noise.rest.noise;
          for (const NoiseTerm& term : noise.terms) {
            const double n = static_cast<double>(term.times), weight2 = term.weight * term.weight;
            sum.second += n * weight2 * term.variance;
            sum.fourth += n * weight2 * weight2 * laplace_fourth(term.variance);
          }
          const bool few = !interval.near_normal(sum, 1);
          from_cumulants += !few;
          ++compared;
          expect_same(ask(query), ask_maps(query),
                      std::to_string(seed) + " " + std::to_string(d) + " " + std::to_string(i));
        }
      }
    }
  }
  EXPECT_GT(from_cumulants, compared / 10);
  EXPECT_GT(unlike_leaves, 10u);
}

}  // namespace
}  // namespace stopover
