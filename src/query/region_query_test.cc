#include "query/region_query.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "query/answerer.h"
#include "query/synthetic_release.h"
#include "release/consistency.h"

namespace stopover {
namespace {

using synthetic::below;
using synthetic::Random;
using synthetic::unit;

int queries() { return std::getenv("STOPOVER_LONG_TESTS") != nullptr ? 100'000 : 3'000; }

struct TestPlane {
  std::size_t x, y;
  Coverage coverage;
};

// What a region asks, in a form that can be checked cell by cell.
struct TestQuery {
  BoxQuery box;
  std::vector<TestPlane> planes;

  RegionQuery on(const BoxIndex& index) const {
    RegionQuery query = RegionQuery::of(box);
    for (const TestPlane& p : planes) query.add(make_plane(index, p.x, p.y, p.coverage));
    return query;
  }
};

Interval some_interval(Random& random, std::uint32_t cells) {
  const auto a = static_cast<std::uint32_t>(below(random, cells)), b = static_cast<std::uint32_t>(below(random, cells));
  return {std::min(a, b), std::max(a, b) + 1};
}

// Cells that are covered wholly, partly and not at all.
Coverage some_coverage(Random& random, std::uint32_t width, std::uint32_t height) {
  Coverage coverage;
  coverage.x = some_interval(random, width);
  coverage.y = some_interval(random, height);
  const std::uint64_t full = 1 + below(random, 8);
  for (std::size_t i = 0; i < std::size_t{coverage.x.width()} * coverage.y.width(); ++i) {
    const std::uint64_t kind = below(random, 10);
    coverage.weights.push_back(kind < full ? 1 : kind == 9 ? 0 : unit(random));
  }
  return coverage;
}

// Pairs of axes become planes, single ones lines, or stay as the box has them.
TestQuery some_query(const Domain& domain, Random& random, bool pairs_only) {
  TestQuery query{synthetic::some_box(domain, random, below(random, 2) == 0), {}};
  const auto whole = [&](std::size_t axis) {
    query.box.lo[axis] = 0;
    query.box.hi[axis] = domain.axis(axis).cells;
  };
  for (std::size_t axis = 0; axis < domain.d();) {
    const std::uint64_t kind = below(random, 3);
    if (kind == 0 && axis + 1 < domain.d() && (!pairs_only || axis % 2 == 0)) {
      whole(axis);
      whole(axis + 1);
      query.planes.push_back(
          {axis, axis + 1, some_coverage(random, domain.axis(axis).cells, domain.axis(axis + 1).cells)});
      axis += 2;
    } else if (kind == 1 && !pairs_only) {
      whole(axis);
      query.planes.push_back({axis, kMaxAxes, some_coverage(random, domain.axis(axis).cells, 1)});
      ++axis;
    } else {
      axis += pairs_only ? 2 : 1;
    }
  }
  return query;
}

double density(const StopMap* map, std::uint32_t i, std::uint32_t j) {
  return map == nullptr ? 1 : map->mass(Interval{i, i + 1}, Interval{j, j + 1});
}

// The covered share of a box, cell by cell.
double share_of(const Table& table, std::size_t row, const TestQuery& query, const std::vector<StopMap>& maps) {
  double share = 1;
  std::vector<bool> done(table.axes.size(), false);
  for (const TestPlane& p : query.planes) {
    const Interval x{table.lo[p.x][row], table.hi[p.x][row]};
    const Interval y = p.y == kMaxAxes ? Interval{0, 1} : Interval{table.lo[p.y][row], table.hi[p.y][row]};
    const StopMap* map = maps.empty() ? nullptr : &maps[p.x / 2];
    double part = 0, all = 0;
    for (std::uint32_t i = x.lo; i < x.hi; ++i) {
      for (std::uint32_t j = y.lo; j < y.hi; ++j) {
        part += p.coverage.weight(i, j) * density(map, i, j);
        all += density(map, i, j);
      }
    }
    share *= part / all;
    done[p.x] = true;
    if (p.y != kMaxAxes) done[p.y] = true;
  }
  for (std::size_t axis = 0; axis < table.axes.size(); ++axis) {
    if (done[axis]) continue;
    const double lo = table.lo[axis][row], hi = table.hi[axis][row];
    if (maps.empty()) {
      share *= std::max(0.0, std::min(hi, query.box.hi[axis]) - std::max(lo, query.box.lo[axis])) / (hi - lo);
    } else if (axis % 2 == 0) {
      const auto part = [&](std::size_t a) {
        return Span{std::max<double>(table.lo[a][row], query.box.lo[a]),
                    std::min<double>(table.hi[a][row], query.box.hi[a])};
      };
      const Span x = part(axis), y = part(axis + 1);
      const Interval whole_x{table.lo[axis][row], table.hi[axis][row]},
          whole_y{table.lo[axis + 1][row], table.hi[axis + 1][row]};
      share *= x.hi <= x.lo || y.hi <= y.lo ? 0 : maps[axis / 2].mass(x, y) / maps[axis / 2].mass(whole_x, whole_y);
    }
  }
  return share;
}

void expect_agreement(const Release& release, const std::vector<StopMap>& maps, std::uint64_t seed, int count) {
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index) << index.error().message;
  const Table& table = release.tables[0];
  const std::vector<bool> leaves = table.leaves();
  const std::vector<RowEstimate> squares = least_squares(table, 1 / (1e9 * release.k));
  Answerer ask(*index, {}), plain(*index, {.estimates = Estimates::plain});
  Random random(seed);
  for (int q = 0; q < count; ++q) {
    const TestQuery query = some_query(release.domain, random, !maps.empty());
    double estimate = 0, unprojected = 0, counts = 0, variance = 0, size = 1;
    std::uint64_t cut = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (!leaves[row]) continue;
      const double share = share_of(table, row, query, maps);
      estimate += share * table.estimate[row];
      unprojected += share * squares[row].value;
      counts += share * static_cast<double>(table.count[row]);
      variance += share * share * noise_variance(release.rate(table.row_ticks[row]));
      size += share * (std::fabs(squares[row].value) + std::fabs(static_cast<double>(table.count[row])));
      cut += share > 0 && share < 1 - 1e-12;
    }
    const RegionQuery region = query.on(*index);
    const Answer a = ask(region), p = plain(region);
    ASSERT_NEAR(a.estimate, estimate, 1e-9 * size) << q;
    ASSERT_NEAR(a.unprojected, unprojected, 1e-9 * size) << q;
    ASSERT_NEAR(p.estimate, counts, 1e-9 * size) << q;
    ASSERT_NEAR(p.noise_variance, variance, 1e-9 * variance) << q;
    ASSERT_EQ(a.partitions_cut, cut) << q;
    ASSERT_LE(a.noise_variance, p.noise_variance * (1 + 1e-9)) << q;
    ASSERT_LE(a.noise_lower, a.unprojected);
    ASSERT_LE(a.bounds_lower, a.estimate);
    ASSERT_GE(a.bounds_upper, a.estimate);
  }
}

// Stops of two axes each with a map of their own.
Release with_maps(std::uint64_t seed, std::size_t stops, std::vector<StopMap>& maps) {
  const std::vector<std::uint64_t> shape(2 * stops, 14);
  Release release =
      synthetic::daf_like(shape, std::vector<std::uint32_t>(2 * stops, stops > 1 ? 3 : 6), 100'000'000, seed);
  release.answer_model = AnswerModel::maps;
  Random random(seed);
  for (std::size_t stop = 0; stop < stops; ++stop) {
    Table map;
    map.name = "stop" + std::to_string(stop + 1);
    map.axes = {2 * stop, 2 * stop + 1};
    map.smooth = seed % 2 == 0;
    for (std::uint32_t i = 0; i < 14; i += 2) {
      for (std::uint32_t j = 0; j < 14; j += 7) {
        const Interval sides[2] = {{i, i + 2}, {j, j + 7}};
        map.append(Box(sides), -1, 0, 1'000'000, 0);
        map.estimate.back() = static_cast<double>(1 + below(random, 9));
      }
    }
    maps.emplace_back(map, release.domain);
    release.tables.push_back(std::move(map));
  }
  return release;
}

TEST(RegionQueryTest, AgreesWithEveryCellOnAnyTree) {
  const int each = queries() / 2 / 42;
  for (std::size_t d = 1; d <= 6; ++d) {
    for (std::uint64_t seed = 1; seed <= 7; ++seed) {
      SCOPED_TRACE("d " + std::to_string(d) + ", seed " + std::to_string(seed));
      expect_agreement(synthetic::any(d, 300 * d + seed, 20 + 40 * seed), {}, seed, each);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(RegionQueryTest, AgreesWithEveryCellOnGrids) {
  expect_agreement(synthetic::flat({30, 30}, {30, 30}, 100'000'000, 1'000'000), {}, 1, 60);
  expect_agreement(synthetic::flat({12, 12, 12, 12}, {5, 4, 3, 6}, 50'000'000, 0), {}, 2, 30);
}

TEST(RegionQueryTest, AgreesWithEveryCellWhereMapsSpreadTrips) {
  const int each = queries() / 2 / 12;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<StopMap> maps;
    const Release release = with_maps(seed, 1 + seed % 2, maps);
    expect_agreement(release, maps, seed, each);
    if (HasFatalFailure()) return;
  }
}

// Also the noise: the same box as sides and as planes.
TEST(RegionQueryTest, ABoxDrawnAsAPlaneIsTheBox) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<StopMap> maps;
    const Release release = seed % 2 == 0 ? with_maps(seed, 2, maps) : synthetic::any(4, seed, 200);
    const Result<BoxIndex> index = BoxIndex::make(release);
    Random random(seed);
    Answerer ask(*index, {}), plain(*index, {.estimates = Estimates::plain});
    for (int q = 0; q < 20; ++q) {
      const BoxQuery box = synthetic::some_box(release.domain, random, q % 2 == 0, true);
      TestQuery drawn{BoxQuery::whole(release.domain), {}};
      for (std::size_t x = 0; x < 4; x += 2) {
        const PlaneSpan span{{box.lo[x], box.hi[x]}, {box.lo[x + 1], box.hi[x + 1]}};
        const Ring ring = {
            {span.x.lo, span.y.lo}, {span.x.hi, span.y.lo}, {span.x.hi, span.y.hi}, {span.x.lo, span.y.hi}};
        drawn.planes.push_back({x, x + 1, Coverage::of_rings(std::vector<Ring>{ring}, {{0, 1e9}, {0, 1e9}})});
      }
      for (Answerer* asker : {&ask, &plain}) {
        const Answer a = (*asker)(box), b = (*asker)(drawn.on(*index));
        const double size = 1 + std::fabs(a.estimate) + std::fabs(a.noise_upper);
        const double noise = 0.04 * (a.noise_upper - a.noise_lower) + 1e-6;
        EXPECT_NEAR(a.estimate, b.estimate, 1e-9 * size);
        EXPECT_NEAR(a.unprojected, b.unprojected, 1e-9 * size);
        EXPECT_NEAR(a.noise_variance, b.noise_variance, 1e-9 * (1 + a.noise_variance));
        EXPECT_NEAR(a.noise_upper, b.noise_upper, noise);
        EXPECT_NEAR(a.bounds_lower, b.bounds_lower, noise);
        EXPECT_NEAR(a.bounds_upper, b.bounds_upper, noise);
        EXPECT_EQ(a.partitions_cut, b.partitions_cut);
      }
    }
  }
}

TEST(RegionQueryTest, DisjointRegionsAddUp) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<StopMap> maps;
    const Release release = seed % 2 == 0 ? with_maps(seed, 2, maps) : synthetic::any(4, seed, 200);
    const Result<BoxIndex> index = BoxIndex::make(release);
    Random random(seed);
    Answerer ask(*index, {});
    for (int q = 0; q < 20; ++q) {
      const Domain& domain = release.domain;
      TestQuery all{BoxQuery::whole(domain),
                    {{0, 1, some_coverage(random, domain.axis(0).cells, domain.axis(1).cells)}}};
      TestQuery part = all, rest = all;
      for (std::size_t i = 0; i < all.planes[0].coverage.weights.size(); ++i) {
        const double share = unit(random);
        part.planes[0].coverage.weights[i] *= share;
        rest.planes[0].coverage.weights[i] *= 1 - share;
      }
      const Answer a = ask(all.on(*index)), b = ask(part.on(*index)), c = ask(rest.on(*index));
      EXPECT_NEAR(a.estimate, b.estimate + c.estimate, 1e-9 * (1 + a.estimate));
      EXPECT_NEAR(a.unprojected, b.unprojected + c.unprojected,
                  1e-9 * (1 + std::fabs(b.unprojected) + std::fabs(c.unprojected)));
    }
  }
}

TEST(RegionQueryTest, TheWholeSpaceIsTheTotal) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::vector<StopMap> maps;
    const Release release = with_maps(seed, 2, maps);
    const Result<BoxIndex> index = BoxIndex::make(release);
    TestQuery all{BoxQuery::whole(release.domain), {}};
    for (std::size_t x : {0u, 2u}) all.planes.push_back({x, x + 1, Coverage::of_span({{0, 14}, {0, 14}})});
    const Answer a = answer(*index, all.on(*index)), b = answer(*index, BoxQuery::whole(release.domain));
    EXPECT_EQ(a.estimate, b.estimate);
    EXPECT_EQ(a.noise_upper, b.noise_upper);
    EXPECT_TRUE(a.aligned);
  }
}

TEST(RegionQueryTest, NothingIsNothing) {
  const Release release = synthetic::any(4, 1, 100);
  const Result<BoxIndex> index = BoxIndex::make(release);
  RegionQuery query = RegionQuery::of(BoxQuery::whole(release.domain));
  query.add(make_plane(*index, 0, 1, Coverage{}));
  const Answer a = answer(*index, query);
  EXPECT_EQ(a.estimate, 0);
  EXPECT_EQ(a.noise_upper, 0);
  EXPECT_EQ(a.bounds_upper, 0);
}

}  // namespace
}  // namespace stopover
