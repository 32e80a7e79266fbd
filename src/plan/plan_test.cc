#include "plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "eval/release_meter.h"
#include "eval/workload.h"
#include "privacy/kernel.h"
#include "privacy/stream_dice.h"
#include "synthetic/generate.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

PlanDoors doors(std::string cache = "") {
  return {[] { return Result<ReleaseKey>(test_key("plan")); }, std::move(cache)};
}

PlanRequest request(std::uint64_t trips, std::size_t stops, Ticks epsilon) {
  PlanRequest r;
  r.trips = trips;
  r.stops = stops;
  r.map = {500, 500, 100, 100};
  r.epsilons = {epsilon};
  r.mechanisms = {"auto", "daf-entropy", "eug"};
  r.sides = {5, 10};
  return r;
}

double factor(double a, double b) { return std::max(a / b, b / a); }

// The plan's figures beside those of a release of another city, in full size, measured by `evaluate`'s own instruments.
// docs/guide/plan.md states the factors.
struct Factors {
  double partitions = 1, noise = 1, one = 1, all = 1;
};

Factors compare(const PlanRequest& r, std::uint64_t seed) {
  const Plan plan = *make_plan(r, doors());
  const SyntheticCity city(r.stops, r.trips, r.map, r.sides, seed);
  Factors worst;
  for (const PlanRow& row : plan.rows) {
    const Mechanism& mechanism = *find_mechanism(row.mechanism);
    const Trial measured = *run_trial(city, mechanism, *read_params(mechanism, {}), {row.epsilon, 1, 1},
                                      test_key("measured " + row.mechanism));
    const Trial& planned = *row.simulated;
    worst.partitions = std::max(
        worst.partitions, factor(static_cast<double>(planned.partitions), static_cast<double>(measured.partitions)));
    worst.noise = std::max(worst.noise, factor(planned.noise_95, measured.noise_95));
    for (std::size_t i = 0; i < r.sides.size(); ++i) {
      worst.one = std::max(worst.one, factor(planned.one_stop[i].median_re, measured.one_stop[i].median_re));
      worst.all = std::max(worst.all, factor(planned.all_stops[i].median_re, measured.all_stops[i].median_re));
    }
  }
  return worst;
}

TEST(Plan, FiguresAreWithinTheFactorsStated) {
  for (const auto& [trips, stops, epsilon] : {std::tuple{100'000ull, 2u, kTicksPerEpsilon / 2},
                                              {400'000ull, 2u, kTicksPerEpsilon / 10},
                                              {400'000ull, 1u, kTicksPerEpsilon / 10},
                                              {400'000ull, 3u, kTicksPerEpsilon}}) {
    const Factors worst = compare(request(trips, stops, epsilon), 9);
    EXPECT_LE(worst.partitions, 1.25) << trips << " " << stops;
    EXPECT_LE(worst.noise, 1.25) << trips << " " << stops;
    EXPECT_LE(worst.one, 2) << trips << " " << stops;
    EXPECT_LE(worst.all, 2) << trips << " " << stops;
  }
}

// The trial's own instruments against evaluate's: the same release asked the same boxes.
TEST(Plan, TrialsMeasureAsEvaluateDoes) {
  const PlanRequest r = request(20'000, 2, kTicksPerEpsilon);
  const SyntheticCity city(2, 20'000, r.map, r.sides, 3);
  const Mechanism& mechanism = *find_mechanism("daf-entropy");
  const Params params = *read_params(mechanism, {});
  const Trial trial = *run_trial(city, mechanism, params, {kTicksPerEpsilon, 1, 1}, test_key("same"));
  StreamDice dice(test_key("same"));
  Kernel kernel(city.matrix(), dice, kTicksPerEpsilon, 1);
  const Release release = run_mechanism(mechanism, params, kernel, Unit::trip);
  const RangeCounter truth(city.matrix());
  const ReleaseMeter meter = *ReleaseMeter::make(release, truth);
  EXPECT_EQ(trial.partitions, meter.partitions());
  Workload workload;
  for (const KnownCount& question : city.questions()[1].all_stops) {
    workload.boxes.push_back(question.box);
    workload.truth.push_back(truth.count(question.box));
  }
  const ErrorSummary error = meter.measure(workload).consistent;
  EXPECT_NEAR(100 * trial.all_stops[1].median_re, error.median_re, 1);
  EXPECT_NEAR(100 * trial.all_stops[1].p90_re, error.re_p90, 0.05 * error.re_p90);
}

TEST(Plan, FormulasSayWhatTheMechanismsDo) {
  PlanRequest r = request(100'000, 2, kTicksPerEpsilon / 2);
  r.mechanisms = {"eug", "eug-corrected", "ebp", "mkm", "ug", "uniform"};
  const Plan plan = *make_plan(r, doors());
  ASSERT_EQ(plan.rows.size(), 6u);
  for (const PlanRow& row : plan.rows) {
    ASSERT_TRUE(row.formula && row.simulated) << row.mechanism;
    EXPECT_LE(factor(row.formula->partitions, static_cast<double>(row.simulated->partitions)), 1.3) << row.mechanism;
    EXPECT_LE(factor(row.formula->side, row.simulated->sides[0]), 1.1) << row.mechanism;
    EXPECT_LE(factor(row.formula->noise_95, row.simulated->noise_95), 1.2) << row.mechanism;
  }
  r.mechanisms = {"daf-entropy"};
  r.simulate = false;
  EXPECT_FALSE(make_plan(r, doors())->rows[0].formula);
}

TEST(Plan, NoiseOfOneCountIsExact) {
  // P(|X| <= q) = 1 - 2 a^(q + 1)/(1 + a) for a = e^-epsilon.
  for (const double epsilon : {0.05, 0.5, 1.0, 3.0}) {
    const double a = std::exp(-epsilon), q = count_noise_95(epsilon);
    EXPECT_EQ(q, std::floor(q));
    EXPECT_GE(1 - 2 * std::pow(a, q + 1) / (1 + a), 0.95);
    EXPECT_LT(1 - 2 * std::pow(a, q) / (1 + a), 0.95);
  }
}

TEST(Plan, MoreStopsAndMoreTripsCost) {
  PlanRequest r = request(50'000, 2, kTicksPerEpsilon / 2);
  r.unit = Unit::user;
  r.k = 2;
  r.mechanisms = {"eug"};
  const Plan plan = *make_plan(r, doors());
  ASSERT_EQ(plan.one_more_stop.size(), 1u);
  ASSERT_EQ(plan.one_more_trip.size(), 1u);
  EXPECT_EQ(plan.one_more_stop[0].stops, 3u);
  EXPECT_EQ(plan.one_more_trip[0].k, 3u);
  EXPECT_EQ(plan.automatic, "anchor");
  EXPECT_EQ(plan.one_more_trip[0].mechanism, "anchor");
  EXPECT_EQ(plan.simulated_trips, 50'000u);
  r.mechanisms = {"auto"};
  const Plan now = *make_plan(r, doors());
  EXPECT_GT(plan.one_more_trip[0].simulated->noise_95, now.rows[0].simulated->noise_95);
  r.stops = 6;
  r.trips = 1000;
  EXPECT_TRUE(make_plan(r, doors())->one_more_stop.empty());
}

TEST(Plan, ACacheAnswersTheSecondTime) {
  const std::string folder = testing::TempDir() + "plan_cache";
  std::filesystem::remove_all(folder);
  PlanRequest r = request(2000, 2, kTicksPerEpsilon);
  r.mechanisms = {"auto"};
  const Plan first = *make_plan(r, doors(folder));
  EXPECT_EQ(first.trials, 3u);
  PlanDoors shut = doors(folder);
  shut.key = [] { return Result<ReleaseKey>(Error{Failure::internal, "no key"}); };
  const Plan second = *make_plan(r, shut);
  EXPECT_EQ(second.trials, 0u);
  EXPECT_EQ(*second.rows[0].simulated, *first.rows[0].simulated);
  r.refresh = true;
  EXPECT_EQ(make_plan(r, shut).error().message, "no key");
  r.refresh = false;
  r.epsilons = {kTicksPerEpsilon / 3};
  EXPECT_FALSE(make_plan(r, shut));
  std::filesystem::remove_all(folder);
}

TEST(Plan, RefusesWhatMakesNoSense) {
  EXPECT_EQ(make_plan(request(0, 2, 1), doors()).error().failure, Failure::usage);
  EXPECT_EQ(make_plan(request(10, 7, 1), doors()).error().failure, Failure::usage);
  PlanRequest r = request(10, 2, kTicksPerEpsilon);
  r.mechanisms = {"daf-entrpy"};
  EXPECT_NE(make_plan(r, doors()).error().message.find("daf-entropy"), std::string::npos);
  r = request(10, 2, kTicksPerEpsilon);
  r.sides = {200};
  EXPECT_FALSE(make_plan(r, doors()));
  PlanDoors stopped = doors();
  stopped.interrupted = [] { return true; };
  EXPECT_EQ(make_plan(request(10, 2, kTicksPerEpsilon), stopped).error().failure, Failure::interrupted);
}

}  // namespace
}  // namespace stopover
