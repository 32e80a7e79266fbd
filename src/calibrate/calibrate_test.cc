#include "calibrate/calibrate.h"

#include <gtest/gtest.h>

#include <tbb/global_control.h>

#include <array>

#include "calibrate/posterior_draws.h"
#include "calibrate/trip_columns.h"
#include "mechanism/mechanism.h"
#include "privacy/stream_dice.h"
#include "query/answerer.h"
#include "release_io/release_io.h"
#include "synthetic/generate.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

struct Made {
  Matrix matrix;
  Release release;
};

Made made(std::string_view mechanism, std::uint64_t stops, std::uint64_t n, Ticks epsilon, const std::string& key) {
  Matrix matrix = to_matrix(*generate_city(stops, n, 200, 11));
  const Mechanism* row = find_mechanism(mechanism);
  StreamDice dice(test_key("calibrate " + key));
  Kernel kernel(matrix, dice, epsilon, 1);
  Release release = run_mechanism(*row, *read_params(*row, {}), kernel, Unit::trip);
  return {std::move(matrix), std::move(release)};
}

TEST(PosteriorDrawsTest, TripsLieInTheDomainAndAreAsManyAsTheReleaseSays) {
  const Made city = made("anchor", 2, 20'000, kTicksPerEpsilon / 2, "domain");
  const Result<PosteriorDraws> posterior = PosteriorDraws::make(city.release);
  ASSERT_TRUE(posterior);
  NumberSequence numbers(1);
  const DrawnTrips trips = posterior->draw(numbers, 0.5);
  EXPECT_NEAR(static_cast<double>(trips.size()), 20'000, 600);
  for (std::size_t axis = 0; axis < 4; ++axis) {
    ASSERT_EQ(trips.cells[axis].size(), trips.size());
    for (std::uint32_t cell : trips.cells[axis]) ASSERT_LT(cell, 200u);
  }
}

// Where little was left open, what is drawn is near the truth.
TEST(PosteriorDrawsTest, AtALargeEpsilonHalvesAreRight) {
  const Made city = made("anchor", 2, 20'000, 20 * kTicksPerEpsilon, "halves");
  NumberSequence numbers(2);
  const TripColumns drawn(PosteriorDraws::make(city.release)->draw(numbers, 0));
  Box west = city.matrix.domain().whole();
  west[0].hi = 100;
  double truth = 0;
  for (std::size_t i = 0; i < city.matrix.keys().size(); ++i) {
    if (city.matrix.keys_of_axes().cell(city.matrix.keys()[i], 0) < 100)
      truth += static_cast<double>(city.matrix.counts()[i]);
  }
  EXPECT_NEAR(static_cast<double>(drawn.count(west)), truth, 0.02 * truth);
}

TEST(CalibrateTest, TheSameReleaseAndSeedGiveTheSameTableForAnyThreads) {
  const Made city = made("anchor", 2, 20'000, kTicksPerEpsilon / 2, "same");
  const Result<Calibration> one = calibrate(city.release, {.seed = 5, .draws = 3, .questions = 200});
  ASSERT_TRUE(one);
  EXPECT_TRUE(check_calibration(*one));
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_EQ(*calibrate(city.release, {.seed = 5, .draws = 3, .questions = 200}), *one);
  EXPECT_NE(*calibrate(city.release, {.seed = 6, .draws = 3, .questions = 200}), *one);
}

TEST(CalibrateTest, NothingIsLearnedWhereNothingCanBe) {
  EXPECT_FALSE(calibrate(made("daf-entropy", 2, 5'000, kTicksPerEpsilon, "daf").release, {}));
  EXPECT_TRUE(calibrate(made("multigrid", 1, 20'000, kTicksPerEpsilon, "one stop").release, {.draws = 2}));
}

// Of a single map, with each of 20,000 trips a thousand times. (How often the intervals of so many hold: intervals.md.)
TEST(CalibrateTest, AMapOfManyTripsIsCalibrated) {
  Matrix few = to_matrix(*generate_city(1, 20'000, 200, 11));
  MatrixBuilder builder(few.domain());
  std::array<std::uint32_t, 2> cell{};
  for (std::size_t i = 0; i < few.keys().size(); ++i) {
    for (std::size_t a = 0; a < 2; ++a) cell[a] = few.keys_of_axes().cell(few.keys()[i], a);
    builder.add(cell, 1000 * few.counts()[i]);
  }
  const Matrix many = std::move(builder).build();
  const Mechanism* row = find_mechanism("multigrid");
  StreamDice dice(test_key("calibrate many"));
  Kernel kernel(many, dice, kTicksPerEpsilon / 10, 1);
  const Release release = run_mechanism(*row, *read_params(*row, {}), kernel, Unit::trip);
  ASSERT_GT(release.tables[0].estimate[0], kMostCalibratedTrips);
  const Result<Calibration> table = calibrate(release, {.seed = 1});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_TRUE(check_calibration(*table));
  NumberSequence numbers(3);
  const DrawnTrips drawn = PosteriorDraws::make(release)->draw(numbers, 0, 1e18, true);
  EXPECT_LT(drawn.size(), 80'001U);
  EXPECT_NEAR(static_cast<double>(TripColumns(drawn).trips()), 2e7, 1e4);
}

// What is known is not learned: the noise's variance counts once. And what two draws cannot tell is taken from the
// normal law: questions of nearly all trips share one error a draw, so their row knows next to nothing.
TEST(CalibrateTest, KnowsTheNoiseAndHowLittleFewDrawsTell) {
  const Made city = made("anchor", 2, 20'000, kTicksPerEpsilon / 2, "few");
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Result<Calibration> table = calibrate(city.release, {.seed = seed, .draws = 2, .questions = 400});
    ASSERT_TRUE(table);
    EXPECT_NEAR(table->weights[Calibration::kNoiseVariance], 1, 1e-5);
    const std::size_t tails = table->tails.size(), last = table->signals.size() - 1;
    ASSERT_EQ(table->tails[3], 0.025);
    const double width = table->above[last * tails + 3] - table->below[last * tails + 3];
    EXPECT_GT(width, 0.75 * 2 * 1.96) << seed;
    EXPECT_LT(width, 1.4 * 2 * 1.96) << seed;
  }
}

// The middle of an interval need not be the estimate, but the interval always holds it.
TEST(CalibrateTest, IntervalsHoldTheirEstimate) {
  Made city = made("anchor", 2, 20'000, kTicksPerEpsilon / 10, "held");
  Calibration narrow;
  narrow.draws = narrow.questions = 1;
  narrow.weights = {1e-6, 0, 0, 0, 0, 0, 0};
  narrow.tails = {0.25, 0.025};
  narrow.signals = {0};
  narrow.below = {-1, -2};
  narrow.above = {1, 2};
  city.release.calibration = narrow;
  const BoxIndex index = *BoxIndex::make(city.release);
  Answerer ask(index, {});
  NumberSequence numbers(12);
  int moved = 0;
  for (int i = 0; i < 200; ++i) {
    Box box = city.matrix.domain().whole();
    for (std::size_t axis = 0; axis < 4; ++axis) {
      const auto lo = static_cast<std::uint32_t>(numbers.below(150));
      box[axis] = {lo, lo + 50};
    }
    const Answer a = ask(BoxQuery::of(box));
    EXPECT_LE(a.lower, a.estimate);
    EXPECT_LE(a.estimate, a.upper);
    moved += a.upper - a.lower > 0.1;
  }
  EXPECT_GT(moved, 20);
}

// The loop closed: intervals learned from the release alone hold the truth of a city that the release never shows. Over
// 200 boxes of three releases each, sound 95 % intervals fall below 88 % with a chance well below 1e-3 even if the
// boxes of one release share much of their error; noise alone holds about two thirds.
TEST(CalibrateTest, IntervalsHoldTheTruthOfACity) {
  double held = 0, by_noise = 0, asked = 0, width = 0, bounds = 0;
  for (const char* key : {"a", "b", "c"}) {
    Made city = made("anchor", 2, 60'000, kTicksPerEpsilon / 2, key);
    city.release.calibration = *calibrate(city.release, {.seed = 1});
    ASSERT_TRUE(check_release(city.release));
    const BoxIndex index = *BoxIndex::make(city.release);
    Answerer ask(index, {});
    DrawnTrips truth;
    truth.cells.resize(4);
    for (std::size_t i = 0; i < city.matrix.keys().size(); ++i) {
      for (std::uint64_t k = 0; k < city.matrix.counts()[i]; ++k) {
        for (std::size_t axis = 0; axis < 4; ++axis) {
          truth.cells[axis].push_back(city.matrix.keys_of_axes().cell(city.matrix.keys()[i], axis));
        }
      }
    }
    const TripColumns trips(std::move(truth));
    NumberSequence numbers(9);
    for (int i = 0; i < 200; ++i) {
      const std::size_t trip = numbers.below(trips.trips());
      Box box = city.matrix.domain().whole();
      for (std::size_t axis = 0; axis < 4; ++axis) {
        const std::uint32_t side = 20, centre = trips.cell(axis, trip);
        const std::uint32_t lo = std::min(centre > side / 2 ? centre - side / 2 : 0, 200 - side);
        box[axis] = {lo, lo + side};
      }
      const Answer a = ask(BoxQuery::of(box));
      const auto count = static_cast<double>(trips.count(box));
      EXPECT_TRUE(a.calibrated);
      EXPECT_LE(a.bounds_lower, a.lower);
      EXPECT_LE(a.lower, a.estimate);
      EXPECT_LE(a.estimate, a.upper);
      EXPECT_LE(a.upper, a.bounds_upper);
      held += a.lower <= count && count <= a.upper;
      by_noise += a.noise_lower <= count && count <= a.noise_upper;
      width += a.upper - a.lower;
      bounds += a.bounds_upper - a.bounds_lower;
      ++asked;
    }
  }
  EXPECT_GT(held / asked, 0.88);
  EXPECT_LT(by_noise / asked, 0.85);
  EXPECT_LT(width, 0.5 * bounds);
}

}  // namespace
}  // namespace stopover
