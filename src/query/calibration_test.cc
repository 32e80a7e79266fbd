#include "query/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "query/answerer.h"

namespace stopover {
namespace {

Calibration table() {
  Calibration c;
  c.draws = 2;
  c.questions = 100;
  c.weights = {4, 1, 0, 0, 0, 0, 0};
  c.tails = {0.25, 0.025, 0.0025};
  c.signals = {0, 10};
  c.below = {0, -1, -2, -1, -2, -3};
  c.above = {1, 3, 5, 1, 2, 3};
  return c;
}

Answer answer(double estimate, double noise_variance) {
  Answer a;
  a.estimate = a.unprojected = estimate;
  a.noise_variance = noise_variance;
  return a;
}

TEST(CalibrationTest, ChecksWhatItSays) {
  const auto refused = [](auto change) {
    Calibration c = table();
    change(c);
    EXPECT_FALSE(check_calibration(c));
  };
  EXPECT_TRUE(check_calibration(table()));
  refused([](Calibration& c) { c.draws = 0; });
  refused([](Calibration& c) { c.weights[1] = -1; });
  refused([](Calibration& c) { c.weights.fill(0); });
  refused([](Calibration& c) { c.tails[0] = 0.6; });
  refused([](Calibration& c) { c.tails[2] = 0.025; });
  refused([](Calibration& c) { c.signals[1] = 0; });
  refused([](Calibration& c) { c.below.pop_back(); });
  refused([](Calibration& c) { c.below[0] = 0.5; });
  refused([](Calibration& c) { c.above[2] = 2; });
  refused([](Calibration& c) { c.above[1] = std::numeric_limits<double>::infinity(); });
}

TEST(CalibrationTest, ReadsRowsAndTails) {
  const CalibratedInterval at95(table(), 0.95);
  EXPECT_NEAR(at95(answer(0, 0)).lower, -2, 1e-9);                           // sd 2, row 0
  EXPECT_NEAR(at95(answer(0, 0)).upper, 2 * (1 + 2 * std::log10(5)), 1e-9);  // nothing is below 0: tail 0.05
  EXPECT_NEAR(at95(answer(50, 21)).lower, 50 - 2 * 5, 1e-9);                 // sd 5, signal 10
  EXPECT_NEAR(at95(answer(25, 21)).lower, 25 - 1.5 * 5, 1e-9);
  EXPECT_NEAR(at95(answer(25, 21)).upper, 25 + 2.5 * 5, 1e-9);
  EXPECT_NEAR(at95(answer(5000, 21)).upper, 5000 + 2 * 5, 1e-9);  // beyond the last row
  EXPECT_NEAR(CalibratedInterval(table(), 0.5)(answer(50, 21)).upper, 55, 1e-9);
  EXPECT_NEAR(CalibratedInterval(table(), 0.995)(answer(50, 21)).upper, 65, 1e-9);
}

// Of an answer that projection moved, errors are taken from midway; the signal stays the estimate's.
TEST(CalibrationTest, IsCentredMidwayToTheValueBeforeProjection) {
  Answer moved = answer(50, 21);
  moved.unprojected = 60;
  EXPECT_NEAR(CalibratedInterval(table(), 0.95)(moved).lower, 55 - 2 * 5, 1e-9);
  EXPECT_NEAR(CalibratedInterval(table(), 0.95)(moved).upper, 55 + 2 * 5, 1e-9);
}

// From 0 on with all of the chance to miss above, or with half of it at either end: whichever is shorter.
TEST(CalibrationTest, GivesTheShorterOfTwoIntervals) {
  const CalibratedInterval at95(table(), 0.95);
  const double one_tail = 2 * (1 + 2 * std::log10(5)), both = 6;  // above the estimate, sd 2, row 0
  for (const double estimate : {0.0, 0.5, 1.0, 1.9, 2.1}) {
    const double lower = std::max(0.0, estimate - 2);
    const PlacementBounds at = at95(answer(estimate, 0));
    const bool from_zero = estimate + one_tail < estimate + both - lower;
    // Signals between the rows move the ends a little: 0.1 of the way at most.
    EXPECT_NEAR(at.upper, estimate + (from_zero ? one_tail : both), 0.35) << estimate;
  }
  EXPECT_GT(at95(answer(6, 0)).lower, 0);
}

TEST(CalibrationTest, GoesOnBeyondTheLastTail) {
  EXPECT_NEAR(CalibratedInterval(table(), 1 - 2 * 0.00025)(answer(50, 21)).upper, 50 + 4 * 5, 1e-6);
  double before = 0;
  for (const double level : {0.3, 0.5, 0.8, 0.95, 0.99, 0.999, 0.99999}) {
    const PlacementBounds at = CalibratedInterval(table(), level)(answer(30, 5));
    EXPECT_GE(at.upper - at.lower, before) << level;
    before = at.upper - at.lower;
  }
}

TEST(CalibrationTest, FeaturesAreThoseOfTheAnswer) {
  Answer a = answer(7, 3);
  a.unprojected = 5;
  a.placement.spread = 2;
  a.placement.clump = 11;
  EXPECT_EQ(features_of(a), (Features{1, 3, 2, 11, 4, 7, 4}));
}

}  // namespace
}  // namespace stopover
