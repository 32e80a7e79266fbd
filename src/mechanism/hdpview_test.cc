#include "mechanism/hdpview.h"

#include <gtest/gtest.h>

#include "privacy/stream_dice.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

Release publish_hdpview(const Trips& trips, Ticks epsilon, const char* key = "hdpview") {
  const Mechanism& mechanism = *find_mechanism("hdpview");
  StreamDice dice(test_key(key));
  const Matrix matrix = trips.matrix();
  Kernel kernel(matrix, dice, epsilon, 1);
  return run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
}

TEST(Hdpview, SpendsAsPublished) {
  Trips trips{{16, 16}, {}};
  for (int i = 0; i < 3000; ++i) trips.cells.push_back({3, 12});
  const Release release = publish_hdpview(trips, kTicksPerEpsilon);
  Ticks leaf = 0, stopping = 0, cutting = 0;
  for (const Charge& charge : release.charges) {
    if (charge.purpose == "count") leaf = charge.ticks;
    if (charge.purpose == "grow") stopping = charge.ticks;
    if (charge.purpose == "choose") cutting = charge.ticks;
  }
  EXPECT_NEAR(static_cast<double>(leaf), 0.1e9, 1);
  EXPECT_NEAR(static_cast<double>(stopping), 0.81e9, 1);
  EXPECT_NEAR(static_cast<double>(cutting), 0.09e9 / 10, 1);  // kappa = ceil(1.2 * log2 256) = 10
  EXPECT_LE(release.spent, kTicksPerEpsilon);
}

// By hand: a block of 4 x 4 full cells in a corner of 16 x 16. Cutting off the block leaves no error at all, so boxes
// are cut along it and nowhere else.
TEST(Hdpview, CutsAlongAnEvenBlockAndStopsWhereNothingVaries) {
  Trips trips{{16, 16}, {}};
  for (std::uint32_t i = 0; i < 16; ++i) {
    for (int times = 0; times < 200; ++times) trips.cells.push_back({i / 4, i % 4});
  }
  const Release release = publish_hdpview(trips, 50 * kTicksPerEpsilon);
  const Table& table = release.tables[0];
  ASSERT_EQ(table.rows(), 5u);  // two cuts: the block, and two even remainders
  const std::vector<bool> leaves = table.leaves();
  bool found = false;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!leaves[row]) continue;
    const Box box = table.box(row);
    const bool block = box[0] == Interval{0, 4} && box[1] == Interval{0, 4};
    found = found || block;
    EXPECT_NEAR(table.estimate[row], block ? 3200 : 0, 10);
  }
  EXPECT_TRUE(found);
}

TEST(Hdpview, AnEvenDomainStaysWhole) {
  Trips trips{{8, 8, 8}, {}};
  for (std::uint32_t i = 0; i < 512; ++i) trips.cells.push_back({i / 64, i / 8 % 8, i % 8});
  EXPECT_EQ(publish_hdpview(trips, 100 * kTicksPerEpsilon).tables[0].rows(), 1u);
}

}  // namespace
}  // namespace stopover
