#include "exports/trip_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <numeric>

#include "query/answerer.h"
#include "query/synthetic_release.h"
#include "release/sample_release.h"
#include "testing/city_release.h"

namespace stopover {
namespace {

std::uint64_t trips_in(const SyntheticTrips& trips, const Box& box) {
  std::uint64_t n = 0;
  for (std::size_t row = 0; row < trips.rows(); ++row) {
    bool inside = true;
    for (std::size_t a = 0; a < box.axes() && inside; ++a) inside = trips.cells[a][row] - box[a].lo < box[a].width();
    n += inside ? 1 : 0;
  }
  return n;
}

// A count of drawn trips is binomial with the release's own share. 4.5 standard deviations and two trips, since where
// next to nothing is expected the law is far from normal: a fresh seed would fail one box in 30,000 at most.
void expect_agreement(const Release& release, std::uint64_t n, std::uint64_t seed, int boxes) {
  const TripModel model = *TripModel::make(release);
  const SyntheticTrips trips = *model.draw(n, seed);
  ASSERT_EQ(trips.rows(), n);
  const BoxIndex index = *BoxIndex::make(release);
  Answerer ask(index, {.intervals = false});
  synthetic::Random random(seed);
  for (int i = 0; i < boxes; ++i) {
    const BoxQuery query = synthetic::some_box(release.domain, random, true);
    Box box = release.domain.whole();
    for (std::size_t a = 0; a < box.axes(); ++a) {
      box[a] = {static_cast<std::uint32_t>(query.lo[a]), static_cast<std::uint32_t>(query.hi[a])};
    }
    const double p = std::min(1.0, ask(query).estimate / model.total());
    const double expected = static_cast<double>(n) * p;
    EXPECT_NEAR(static_cast<double>(trips_in(trips, box)), expected, 4.5 * std::sqrt(expected * (1 - p)) + 2)
        << release.mechanism << " box " << i;
  }
}

TEST(TripModel, DrawnTripsAgreeWithTheReleasesAnswers) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    expect_agreement(synthetic::any(2 + seed % 3, seed, 300), 30'000, seed, 30);
  }
  expect_agreement(sample::city_release(1, 30'000, 300, "multigrid"), 100'000, 1, 100);
  expect_agreement(sample::city_release(2, 30'000, 300, "anchor"), 100'000, 2, 100);
  expect_agreement(sample::city_release(3, 30'000, 300, "anchor"), 100'000, 3, 100);
  expect_agreement(sample::city_release(2, 30'000, 300, "daf-entropy"), 100'000, 4, 100);
}

TEST(TripModel, MapsDecideWhereInALeafTripsLie) {
  const Release release = sample::city_release(2, 30'000, 300, "anchor");
  ASSERT_EQ(release.answer_model, AnswerModel::maps);
  Release even = release;
  even.answer_model = AnswerModel::uniform;
  const SyntheticTrips by_maps = *TripModel::make(release)->draw(20'000, 1);
  const SyntheticTrips evenly = *TripModel::make(even)->draw(20'000, 1);
  const BoxIndex index = *BoxIndex::make(release);
  Box box = release.domain.whole();
  const std::uint32_t x = by_maps.cells[0][0], y = by_maps.cells[1][0];
  box[0] = {x > 4 ? x - 4 : 0, x + 4};
  box[1] = {y > 4 ? y - 4 : 0, y + 4};
  const double expected = 20'000 * answer(index, BoxQuery::of(box)).estimate / TripModel::make(release)->total();
  EXPECT_NEAR(static_cast<double>(trips_in(by_maps, box)), expected, 5 * std::sqrt(expected) + 1);
  EXPECT_GT(std::abs(static_cast<double>(trips_in(evenly, box)) - expected), 3 * std::sqrt(expected));
}

TEST(TripModel, SharesOfALeafSumToOne) {
  for (const char* mechanism : {"anchor", "daf-entropy"}) {
    const Release release = sample::city_release(2, 3000, 12, mechanism);
    const TripModel model = *TripModel::make(release);
    for (std::size_t leaf = 0; leaf < model.leaves(); leaf += 3) {
      const Box& box = model.box(leaf);
      double sum = 0;
      std::array<std::uint32_t, 4> c{};
      for (c[0] = box[0].lo; c[0] < box[0].hi; ++c[0])
        for (c[1] = box[1].lo; c[1] < box[1].hi; ++c[1])
          for (c[2] = box[2].lo; c[2] < box[2].hi; ++c[2])
            for (c[3] = box[3].lo; c[3] < box[3].hi; ++c[3]) sum += model.share(leaf, c);
      EXPECT_NEAR(sum, 1, 1e-6);
    }
  }
}

TEST(TripModel, TheSameSeedTheSameTrips) {
  const Release release = sample::city_release(2, 3000, 100, "anchor");
  const TripModel model = *TripModel::make(release);
  EXPECT_EQ(model.draw(1000, 3)->cells, model.draw(1000, 3)->cells);
  EXPECT_NE(model.draw(1000, 3)->cells, model.draw(1000, 4)->cells);
  EXPECT_NEAR(model.total(), release.tables[0].estimate[0], 1e-6 * model.total());
}

TEST(TripModel, DrawsThreeHundredThousandTripsInASecond) {
  const TripModel model = *TripModel::make(sample::city_release(3, 100'000, 1000, "anchor"));
  const std::clock_t begin = std::clock();
  EXPECT_EQ(model.draw(300'000, 1)->rows(), 300'000u);
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 1.0);
}

TEST(TripModel, LivesWithNothing) {
  Release empty = sample::paper(-100, -100, -100);
  EXPECT_EQ(TripModel::make(empty)->whole_total(), 0u);
  EXPECT_EQ(TripModel::make(empty)->draw(10, 1)->rows(), 0u);
  EXPECT_EQ(TripModel::make(sample::paper(0, 0, 0))->draw(0, 1)->rows(), 0u);
  EXPECT_FALSE(TripModel::make(empty)->draw(kMaxSyntheticTrips + 1, 1));
  empty.tables.clear();
  EXPECT_EQ(TripModel::make(empty).error().failure, Failure::bad_input);
}

}  // namespace
}  // namespace stopover
