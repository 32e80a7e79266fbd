#include "mechanism/sparse.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/stream_dice.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

Release publish_sparse(const Trips& trips, Ticks epsilon, std::vector<std::pair<std::string, std::string>> given = {}) {
  const Mechanism& mechanism = *find_mechanism("sparse");
  StreamDice dice(test_key("sparse"));
  const Matrix matrix = trips.matrix();
  Kernel kernel(matrix, dice, epsilon, 1);
  return run_mechanism(mechanism, *read_params(mechanism, given), kernel, Unit::trip);
}

// By hand: a = e^-1, 2 a^t/(1 + a) <= 1e-3 from t = 8 on (1.46 * e^-7 = 1.3e-3, 1.46 * e^-8 = 4.9e-4).
TEST(Sparse, TheThresholdIsTheLeastThatListsFewEnough) {
  EXPECT_EQ(sparse_threshold(1, 1e6, 1e3), 8);
  EXPECT_EQ(sparse_threshold(30, 100, 1000), 1);
  for (double e : {0.01, 0.1, 1.0}) {
    const double t = sparse_threshold(e, 1e12, 65536);
    const auto listed = [&](double at) { return 2e12 * std::exp(-e * at) / (1 + std::exp(-e)); };
    EXPECT_LE(listed(t), 65536);
    EXPECT_GT(listed(t - 1), 65536);
  }
}

// 1e15 cells, two of them full: both are found, at their places, among about as many empty ones as asked for.
TEST(Sparse, FindsWhatIsLargeInAHugeDomain) {
  Trips trips{{100'000, 100'000, 100'000}, {}};
  for (int i = 0; i < 400; ++i) trips.cells.push_back({99'999, 5, 31'415});
  for (int i = 0; i < 300; ++i) trips.cells.push_back({12, 99'999, 0});
  const Release release = publish_sparse(trips, kTicksPerEpsilon, {{"zeros", "500"}});
  const Table& table = release.tables[0];
  EXPECT_TRUE(check_release(release));
  EXPECT_NEAR(static_cast<double>(table.rows()), 375,
              100);  // threshold 29: 1.46e15 e^-29 = 372 empty ones, 5 deviations
  int found = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const Box box = table.box(row);
    EXPECT_TRUE(box.volume() == 1);
    if (box[0].lo == 99'999 && box[1].lo == 5 && box[2].lo == 31'415) found += std::abs(table.count[row] - 400) < 30;
    if (box[0].lo == 12 && box[1].lo == 99'999 && box[2].lo == 0) found += std::abs(table.count[row] - 300) < 30;
  }
  EXPECT_EQ(found, 2);
}

TEST(Sparse, RefusesDomainsBeyondItsReach) {
  const Mechanism& mechanism = *find_mechanism("sparse");
  const Domain domain = *Domain::of_shape({1u << 31, 1u << 31});
  EXPECT_FALSE(check_mechanism(mechanism, *read_params(mechanism, {}), domain));
}

}  // namespace
}  // namespace stopover
