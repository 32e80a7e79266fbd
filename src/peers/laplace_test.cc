#include "peers/laplace.h"

#include <gtest/gtest.h>

#include <cmath>

#include "peers/lab_run.h"
#include "peers/plain_answerer.h"
#include "privacy/stream_dice.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

LabResult run(const char* name, const Matrix& matrix, Ticks epsilon, std::uint32_t k = 1,
              std::vector<std::pair<std::string, std::string>> given = {}) {
  const Mechanism& mechanism = *find_mechanism(name);
  StreamDice dice(test_key("laplace"));
  Kernel kernel(matrix, dice, epsilon, k);
  return run_in_lab(mechanism, *read_params(mechanism, given), kernel, k == 1 ? Unit::trip : Unit::user);
}

Matrix trips() {
  Trips data{{40, 40}, {}};
  for (std::uint32_t i = 0; i < 3000; ++i) data.cells.push_back({i % 7, i * i % 40});
  return data.matrix();
}

Answer ask(const LabResult& made, const std::vector<Interval>& sides) {
  Result<PlainAnswerer> answerer = PlainAnswerer::make(made, {});
  STOPOVER_CHECK(answerer, "one grid of plain counts");
  return (*answerer)(BoxQuery::of(Box(sides)));
}

// The counts are those of `identity`, drawn in the same way, and they stand as they are.
TEST(Laplace, IsIdentityWithoutPostProcessing) {
  const Matrix matrix = trips();
  const LabResult made = run("laplace", matrix, kTicksPerEpsilon / 2);
  const Release identity = run("identity", matrix, kTicksPerEpsilon / 2).release;
  EXPECT_TRUE(check_lab_result(made)) << check_lab_result(made).error().message;
  ASSERT_EQ(made.grids.size(), 1u);
  EXPECT_EQ(made.grids[0].count, identity.tables[0].count);
  std::int64_t sum = 0, least = 0;
  for (std::int64_t count : made.grids[0].count) sum += count, least = std::min(least, count);
  EXPECT_LT(least, -4);
  const Answer all = ask(made, {{0, 40}, {0, 40}});
  EXPECT_DOUBLE_EQ(all.estimate, static_cast<double>(sum));
  EXPECT_LT(all.noise_lower, all.estimate);
  EXPECT_GT(all.noise_upper, all.estimate);
  EXPECT_DOUBLE_EQ(ask(made, {{9, 10}, {4, 5}}).estimate, static_cast<double>(made.grids[0].count[1 + 9 * 40 + 4]));
}

// Zero below 0.75 ln(1600)/eps, eps of one trip: a unit of five has a fifth of it.
TEST(Laplace, ThresholdFollowsCellsAndEpsilon) {
  const Matrix matrix = trips();
  for (const std::uint32_t k : {1u, 5u}) {
    const LabResult made = run("laplace-threshold", matrix, kTicksPerEpsilon / 2, k);
    EXPECT_TRUE(check_lab_result(made));
    const double least = 0.75 * std::log(1600.0) / (0.5 / k);
    EXPECT_NEAR(*made.kept_from, least, 1e-9);
    double sum = 0, all = 0;
    for (std::int64_t count : made.grids[0].count) {
      const auto value = static_cast<double>(count);
      all += value;
      if (value >= least) sum += value;
    }
    EXPECT_NE(sum, all);
    const Answer whole = ask(made, {{0, 40}, {0, 40}});
    EXPECT_DOUBLE_EQ(whole.estimate, sum);
    EXPECT_NEAR((whole.noise_lower + whole.noise_upper) / 2, all, 1e-6);
  }
  EXPECT_NEAR(*run("laplace-threshold", matrix, kTicksPerEpsilon, 1, {{"factor", "2"}}).kept_from, 2 * std::log(1600.0),
              1e-9);
}

TEST(Laplace, RefusesWhatCannotBeListed) {
  for (const char* name : {"laplace", "laplace-threshold"}) {
    const Mechanism& mechanism = *find_mechanism(name);
    const Status refused = check_in_lab(mechanism, *read_params(mechanism, {}), *Domain::of_shape({3000, 3000}));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message.find(std::string(name) + " counts every cell, and 3000x3000 has 9000000"), 0u)
        << refused.error().message;
  }
}

}  // namespace
}  // namespace stopover
