#include "query/belief.h"

#include <gtest/gtest.h>

#include <cmath>

#include "query/answerer.h"
#include "query/normal.h"

namespace stopover {
namespace {

TEST(Belief, OfALeafThatItsOwnCountDecidesIsItsNoise) {
  const Belief sure = Belief::of_leaf(500, 10, 100);  // s^2 = noise
  EXPECT_DOUBLE_EQ(sure.variance, 100);
  EXPECT_DOUBLE_EQ(sure.leaned, 0);
  EXPECT_DOUBLE_EQ(sure.told, 100);
  const Belief unsure = Belief::of_leaf(8, 5, 100);  // a quarter of the noise
  EXPECT_DOUBLE_EQ(unsure.variance, 25 + 3 * 0.75 * (25 - 8));
  EXPECT_DOUBLE_EQ(unsure.leaned, 6);
  // Chance alone: a Poisson law's variance is its mean, and what it is told to be is not made more.
  EXPECT_DOUBLE_EQ(Belief::of_leaf(30, 5, 100).variance, 25);
  EXPECT_DOUBLE_EQ(unsure.told, 25);
  // A leaf that was not measured leans wholly; a spread above the noise is not below nothing.
  EXPECT_DOUBLE_EQ(Belief::of_leaf(8, 5, 1e30).leaned, 8);
  EXPECT_DOUBLE_EQ(Belief::of_leaf(8, 20, 100).leaned, 0);
}

TEST(Belief, PartsOfLeavesAddWhereTripsMayLie) {
  const Belief leaf{16, 4, 9, 12};
  const Belief whole = leaf.part(1, 10, 1);
  EXPECT_DOUBLE_EQ(whole.variance, 16);
  EXPECT_DOUBLE_EQ(whole.leaned, 4);
  const Belief half = leaf.part(0.5, 10, 1);
  EXPECT_DOUBLE_EQ(half.variance, 8 + 0.5 * (5 + 0.25 * 25));
  EXPECT_DOUBLE_EQ(half.leaned, 0.5 * (0.5 * 4 + 0.5 * 10));
  EXPECT_DOUBLE_EQ(half.told, 4.5 + 0.5 * (5 + 0.25 * 25));
  EXPECT_DOUBLE_EQ(leaf.part(0.5, 10, 5).variance, 8 + 0.5 * (5 + 0.25 * 5));
  EXPECT_DOUBLE_EQ(whole.even, 12);
  EXPECT_DOUBLE_EQ(half.even, 0.25 * 12 + 0.5 * 5);
  EXPECT_DOUBLE_EQ(Belief::of_leaf(8, 5, 100).even, 25);
}

TEST(Belief, OfAnEvenTableIsWhatItsLeavesAreAndMoreOfTheirTotals) {
  const Belief belief{100, 10, 50, 40};
  EXPECT_DOUBLE_EQ(believed_variance(belief, {.totals = 0.01}), 100 + 100 * 4 * 0.01);
  EXPECT_DOUBLE_EQ(believed_variance(belief, {.totals = 0.01, .unevenness = 0}), 40 + 100 * 9 * 0.01);
  EXPECT_DOUBLE_EQ(believed_variance(belief, {.totals = 0.01, .unevenness = 0.5}), 70 + 100 * 6.5 * 0.01);
  EXPECT_DOUBLE_EQ(believed_variance(belief, {.common = 1e-3, .unevenness = 0}), 40 + 1e4 * 1e-3);
}

// One stop of four zones, with totals 10, 20, 30, 40 known to within 1, 2, 3, 4.
Release four_zones() {
  Release release;
  release.domain = *Domain::make({{"zone", 4, AxisKind::number, 0, 4, {}}});
  release.epsilon = release.spent = kTicksPerEpsilon;
  release.mechanism = "zones";
  release.answer_model = AnswerModel::maps;
  for (const char* name : {"joint", "map1"}) {
    Table table;
    table.name = name;
    table.axes = {0};
    table.ticks = kTicksPerEpsilon / 2;
    const Interval all{0, 4};
    table.append(Box(std::span(&all, 1)), -1, 0, 0, 0);
    for (std::uint32_t zone = 0; zone < 4; ++zone) {
      const Interval one{zone, zone + 1};
      table.append(Box(std::span(&one, 1)), 0, 10 * (zone + 1), kTicksPerEpsilon / 20, 0);  // noise of scale 20
    }
    table.estimate = {100, 10, 20, 30, 40};
    table.spread = {0, 1, 2, 3, 4};
    release.tables.push_back(std::move(table));
  }
  return release;
}

TEST(AxisDoubts, AreRelativeVariancesOfTotals) {
  const AxisDoubts doubts(four_zones());
  EXPECT_DOUBLE_EQ(doubts.of(0, 0, 1), 0.01);
  EXPECT_DOUBLE_EQ(doubts.of(0, 1, 3), (4.0 + 9) / (50.0 * 50));
  EXPECT_DOUBLE_EQ(doubts.of(0, 0.5, 1), 0.5 / 25);
  EXPECT_DOUBLE_EQ(doubts.of(0, 2, 2), 0);
  Coverage line;
  line.x = {0, 4};
  line.y = {0, 1};
  line.weights = {1, 0, 0, 0.5};
  EXPECT_DOUBLE_EQ(doubts.of(0, line), (1 + 0.25 * 16) / (30.0 * 30));
}

TEST(AxisDoubts, KnowWhatCountsOfTotalsErrBy) {
  const AxisDoubts doubts(four_zones());
  const KnownTotal known = doubts.known(0, 1, 3);
  EXPECT_DOUBLE_EQ(known.total, 50);
  EXPECT_NEAR(known.noise, 2 * 2 * 20 * 20, 3);  // two counts of scale 20
  EXPECT_TRUE(std::isinf(doubts.known(0, 2, 2).noise));
  // The leaves of one axis are not counted a second time by being its totals.
  Release once = four_zones();
  once.tables[1].row_ticks.assign(5, 0);
  EXPECT_GT(AxisDoubts(once).known(0, 1, 3).noise, 1e20);
}

// 40 x 40 zones in 4 x 4 leaves of 10 x 10 pairs, counted with noise of scale 20, of which each holds what the product
// of its zones' totals says, times what is told here.
Release boxes_of_pairs(const std::vector<double>& times) {
  Release release;
  release.domain = *Domain::make({{"from", 40, AxisKind::number, 0, 40, {}}, {"to", 40, AxisKind::number, 0, 40, {}}});
  release.epsilon = release.spent = kTicksPerEpsilon;
  release.mechanism = "zones";
  release.answer_model = AnswerModel::maps;
  Table joint;
  joint.name = "joint";
  joint.axes = {0, 1};
  joint.ticks = kTicksPerEpsilon / 20;
  const std::vector<Interval> all = {{0, 40}, {0, 40}};
  joint.append(Box(all), -1, 0, 0, 0);
  joint.spread = {0};
  for (std::uint32_t i = 0; i < 16; ++i) {
    const std::uint32_t a = i / 4 * 10, b = i % 4 * 10;
    const std::vector<Interval> box = {{a, a + 10}, {b, b + 10}};
    const double trips = 500 * times[i % times.size()];
    joint.append(Box(box), 0, static_cast<std::int64_t>(trips), joint.ticks, 0);
    joint.estimate.back() = trips;
    joint.estimate[0] += trips;
    joint.spread.push_back(20);
  }
  release.tables = {joint};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    Table map;
    map.name = axis == 0 ? "map1" : "map2";
    map.axes = {axis};
    const Interval line{0, 40};
    map.append(Box(std::span(&line, 1)), -1, 0, 0, 0);
    for (std::uint32_t zone = 0; zone < 40; ++zone) {
      const Interval one{zone, zone + 1};
      map.append(Box(std::span(&one, 1)), 0, 0, 0, 0);
    }
    map.estimate.assign(41, joint.estimate[0] / 40);
    map.spread.assign(41, 1);
    release.tables.push_back(map);
  }
  return release;
}

TEST(AxisDoubts, SeeHowEvenlyTripsLie) {
  // Noise of scale 20 has a variance of 800; what it leaves open is a few hundredths.
  const AxisDoubts even(boxes_of_pairs({1}));
  EXPECT_LT(even.unevenness(), 0.05);
  const AxisDoubts uneven(boxes_of_pairs({0.1, 1.9, 1.9, 0.1, 0.1}));
  EXPECT_EQ(uneven.unevenness(), 1);
  // In between: off by a fifth, so that d is 0.04 and a little more.
  const AxisDoubts between(boxes_of_pairs({0.8, 1.2}));
  EXPECT_NEAR(between.unevenness(), 4 * 0.04, 0.05);
  // One axis: nothing is known.
  EXPECT_EQ(AxisDoubts(four_zones()).unevenness(), 1);
  // Leaves of single pairs alone.
  Release pairs = boxes_of_pairs({1});
  for (std::size_t row = 1; row <= 16; ++row) {
    for (std::size_t axis = 0; axis < 2; ++axis) pairs.tables[0].hi[axis][row] = pairs.tables[0].lo[axis][row] + 1;
  }
  EXPECT_EQ(AxisDoubts(pairs).unevenness(), 1);
}

// A whole row of variance 100 whose count errs by 50: as 2 times 50 beside it; a hundredth of a row nearly as it was.
TEST(WithinTotals, AnswersErrLessTheMoreOfACountedTotalTheyAre) {
  const KnownTotal row[] = {{40, 50}, {}};
  EXPECT_DOUBLE_EQ(within_totals(40, 100, row), 50);
  EXPECT_DOUBLE_EQ(within_totals(0.4, 100, row), 100 * (1 - 1.0 / (100 + 2 * 0.01 * 50) * 0.01 * 100));
  EXPECT_DOUBLE_EQ(within_totals(50, 100, row), 50);  // more than the total: no more is known than of all of it
  EXPECT_DOUBLE_EQ(within_totals(0, 100, row), 100);
  const KnownTotal nothing[] = {{}, {}};
  EXPECT_DOUBLE_EQ(within_totals(40, 100, nothing), 100);
}

TEST(LikelyRange, IsAGammaLawsInWholeNumbers) {
  const LikelyReach reach = likely_reach(0.95);
  EXPECT_DOUBLE_EQ(reach.both, normal_half_width(0.95));
  EXPECT_DOUBLE_EQ(reach.above, normal_half_width(0.9));
  EXPECT_EQ(likely_reach(0.5).above, 0);
  // Quantiles 2.5 % and 97.5 % of a gamma law of shape 4 and mean 100: 27.2 and 219.2.
  const LikelyRange skewed = likely_range(100, 2500, reach);
  EXPECT_NEAR(skewed.lower, 27, 1);
  EXPECT_NEAR(skewed.upper, 220, 1);
  // Nearly normal.
  const LikelyRange large = likely_range(1e6, 1e6, reach);
  EXPECT_NEAR(large.lower, 1e6 - 1960, 3);
  EXPECT_NEAR(large.upper, 1e6 + 1961, 3);
  EXPECT_EQ(large.upper_alone, large.upper);
  // Nearly nothing: 0 alone, which is missed 1 time in 100 or so.
  const LikelyRange nothing = likely_range(0.01, 0.01, reach);
  EXPECT_EQ(nothing.lower, 0);
  EXPECT_EQ(nothing.upper, 0);
  EXPECT_EQ(likely_range(0, 0, reach).upper, 0);
  EXPECT_EQ(std::floor(skewed.upper), skewed.upper);
}

// What begins at 0 cannot miss below: all of the 5 % are above. Poisson of mean 2: P(X <= 4) = 0.947, P(X <= 5) =
// 0.983.
TEST(LikelyRange, ThatBeginsAtZeroMissesOnlyAbove) {
  const LikelyReach reach = likely_reach(0.95);
  const LikelyRange two = likely_range(2, 2, reach);
  EXPECT_EQ(two.lower, 0);
  EXPECT_EQ(two.upper, 5);
  const LikelyRange skewed = likely_range(10, 150, reach);
  EXPECT_EQ(skewed.lower, 0);
  EXPECT_NEAR(skewed.upper, 35, 1);        // 95 % of a gamma law of shape 2/3 and mean 10
  EXPECT_NEAR(skewed.upper_alone, 45, 1);  // 97.5 %
}

TEST(LikelyMedian, IsThatOfAMixtureOfPoissonLaws) {
  // Poisson: the median of lambda is 0 below ln 2, 1 below 1.678, 2 below 2.674.
  for (const auto& [lambda, median] :
       {std::pair{0.0, 0.0}, {0.01, 0}, {0.6, 0}, {0.75, 1}, {1.6, 1}, {1.75, 2}, {2.6, 2}, {2.75, 3}})
    EXPECT_EQ(likely_median(lambda, lambda), median) << lambda;
  // Negative binomial of mean 4 and variance 20, shape 1: P(X <= 2) = 1 - 0.8^3 = 0.488, P(X <= 3) = 0.59.
  EXPECT_EQ(likely_median(4, 20), 3);
  // Mean 1, shape 0.25: P(X = 0) = 0.2^0.25 = 0.67. A few trips that may be noise are none.
  EXPECT_EQ(likely_median(1, 5), 0);
  EXPECT_EQ(likely_median(3, 100), 0);
  // Large numbers are their estimates, rounded.
  EXPECT_EQ(likely_median(1234, 200), 1234);
  EXPECT_EQ(likely_median(1e6 + 0.7, 0), 1e6 + 1);
}

// A count that noise made small, of which little is left above 0: the length of that must not choose the interval.
TEST(Answerer, IsNotTakenInByNoiseBelowZero) {
  Release release = four_zones();
  release.tables[0].count[4] = -50;  // noise of scale 20: its interval is about -110 to 10
  release.tables[0].spread = {0, 1, 2, 3, 5};
  release.tables[1].spread = {0, 0.1, 0.1, 0.1, 0.1};
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  BoxQuery query = BoxQuery::whole(release.domain);
  query.lo[0] = 3;
  const Answer one = Answerer(*index, {})(query);
  EXPECT_LT(one.noise_upper, 15);
  EXPECT_GT(one.lower, 15);
  EXPECT_EQ(one.upper, 40);  // one count by itself: within what its noise allows, and the estimate
  // Two of them, with the likely interval from 45 to 100 or so: it stands as it is, and the bounds hold it.
  query.lo[0] = 2;
  release.tables[0].count[3] = 0;
  const Result<BoxIndex> both = BoxIndex::make(release);
  ASSERT_TRUE(both);
  const Answer two = Answerer(*both, {})(query);
  EXPECT_LT(two.noise_upper, 60);
  EXPECT_GT(two.lower, 40);
  EXPECT_GT(two.upper, 80);
  EXPECT_GE(two.bounds_upper, two.upper);
}

// Who asks for one pair may know that it is busy: where its own count says that it holds trips, its interval reaches as
// far up as that count's noise does, however little the pairs like it hold.
TEST(Answerer, GoesUpAsFarAsAPairsOwnCountThatIsAboveItsNoise) {
  Release release = four_zones();
  release.tables[0].spread = {0, 3, 3, 3, 3};
  release.tables[1].spread = {0, 0.1, 0.1, 0.1, 0.1};
  const auto ask = [&](std::int64_t count) {
    release.tables[0].count[4] = count;
    const Result<BoxIndex> index = BoxIndex::make(release);
    BoxQuery query = BoxQuery::whole(release.domain);
    query.lo[0] = 3;
    return Answerer(*index, {})(query);
  };
  const Answer above = ask(75);  // noise of scale 20: 15 to 135
  EXPECT_GT(above.noise_lower, 0);
  EXPECT_EQ(above.upper, std::floor(above.noise_upper));
  EXPECT_LT(above.upper_alone(), above.upper + 1);
  const Answer below = ask(50);
  EXPECT_LT(below.noise_lower, 0);
  EXPECT_LT(below.upper, 60);
}

// What is asked of one end by itself, or of a sum of answers, needs the end that is missed half as often.
TEST(Answerer, KeepsTheUpperEndThatHoldsAlone) {
  Release release = four_zones();
  release.tables[0].spread = {0, 10, 3, 3, 3};
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  BoxQuery query = BoxQuery::whole(release.domain);
  query.hi[0] = 1;
  const Answer small = Answerer(*index, {})(query);
  EXPECT_EQ(small.lower, 0);
  EXPECT_GT(small.upper_alone(), small.upper + 1);
  query.lo[0] = 1, query.hi[0] = 3;
  const Answer larger = Answerer(*index, {})(query);
  EXPECT_GT(larger.lower, 0);
  EXPECT_EQ(larger.upper_alone(), larger.upper);
}

TEST(Answerer, TakesTheLikelyIntervalFromSpreads) {
  const Release release = four_zones();
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  BoxQuery query = BoxQuery::whole(release.domain);
  query.lo[0] = 1;
  query.hi[0] = 3;
  const Answer answer = Answerer(*index, {})(query);
  EXPECT_DOUBLE_EQ(answer.estimate, 50);
  EXPECT_TRUE(answer.calibrated);
  const double noise = answer.noise_variance / 2;
  const double from1 = 1 - 4 / noise, from2 = 1 - std::min(1.0, 9 / noise);
  const double variance = 4 + 9;  // less than the trips that are expected: no more than chance
  const double leaned = from1 * 20 + from2 * 30;
  const LikelyRange likely = likely_range(50, variance + 4 * leaned * leaned * 13 / 2500, likely_reach(0.95));
  EXPECT_EQ(answer.lower, likely.lower);
  EXPECT_EQ(answer.upper, likely.upper);
  EXPECT_EQ(answer.median, likely_median(50, 13));  // the leaves' own variances, 4 and 9
  // Half of a zone: where its trips lie is open too. Of none there are none.
  BoxQuery half = query;
  half.hi[0] = 1.5;
  EXPECT_EQ(Answerer(*index, {})(half).median, likely_median(10, 0.5 * 4 + 0.5 * (10 + 0.25 * 100)));
  half.hi[0] = 1;
  EXPECT_EQ(Answerer(*index, {})(half).median, 0);
  // One zone whose own count decides: the noise interval is the shorter one.
  query.lo[0] = 3;
  query.hi[0] = 4;
  Release sure = release;
  sure.tables[0].spread[4] = 40;
  const Result<BoxIndex> knows = BoxIndex::make(sure);
  ASSERT_TRUE(knows);
  const Answer one = Answerer(*knows, {})(query);
  EXPECT_EQ(one.lower, std::max(0.0, std::ceil(one.noise_lower)));
  EXPECT_EQ(one.upper, std::floor(one.noise_upper));
  EXPECT_TRUE(one.believed);
  // Plain counts know nothing of it.
  EXPECT_FALSE(Answerer(*index, {.estimates = Estimates::plain})(query).calibrated);
  EXPECT_FALSE(Answerer(*index, {.estimates = Estimates::plain})(query).median);
  // Nor do releases that tell no spread.
  Release silent = release;
  for (Table& table : silent.tables) table.spread.clear();
  const Result<BoxIndex> other = BoxIndex::make(silent);
  ASSERT_TRUE(other);
  EXPECT_FALSE(Answerer(*other, {})(query).calibrated);
  EXPECT_FALSE(Answerer(*other, {})(query).median);
}

}  // namespace
}  // namespace stopover
