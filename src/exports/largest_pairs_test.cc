#include "exports/largest_pairs.h"

#include <gtest/gtest.h>

#include "release/sample_release.h"

namespace stopover {
namespace {

double sum(const LargestPairs& found) {
  double all = found.trips_left_out;
  for (const LargestPairs::Pair& pair : found.pairs) all += pair.estimate;
  return all;
}

TEST(LargestPairs, AreThoseOfTheTableAndTellWhatIsLeftOut) {
  ZoneFlows flows = *ZoneFlows::of_own(sample::stations());
  const auto of = [&](const LargestPairs::Wanted& wanted) {
    return *LargestPairs::of(flows, 0, 1, wanted, [] { return Status(); });
  };
  const LargestPairs all = of({});
  ASSERT_GT(all.pairs.size(), 3U);
  EXPECT_EQ(all.left_out, 0U);
  for (std::size_t i = 0; i < all.pairs.size(); ++i) {
    const LargestPairs::Pair& pair = all.pairs[i];
    EXPECT_NEAR(pair.estimate, flows.between(0, pair.from, 1, pair.to).estimate, 1e-9 * (1 + pair.estimate));
    EXPECT_GT(pair.estimate, 0);
    EXPECT_LE(pair.estimate, all.pairs[i > 0 ? i - 1 : 0].estimate);
  }
  EXPECT_NEAR(sum(all), flows.whole().estimate, 1e-9 * sum(all));
  const LargestPairs two = of({.most = 2});
  ASSERT_EQ(two.pairs.size(), 2U);
  EXPECT_EQ(two.pairs[1].estimate, all.pairs[1].estimate);
  EXPECT_EQ(two.left_out, all.pairs.size() - 2);
  EXPECT_NEAR(sum(two), sum(all), 1e-9 * sum(all));
  const double least = all.pairs[2].estimate;
  for (const LargestPairs::Pair& pair : of({.least = least}).pairs) EXPECT_GE(pair.estimate, least);
  for (const LargestPairs::Pair& pair : of({.stays = false}).pairs) EXPECT_NE(pair.from, pair.to);
  EXPECT_NEAR(sum(of({.stays = false})), sum(all), 1e-9 * sum(all));
  EXPECT_FALSE(LargestPairs::of(flows, 0, 1, {}, [] { return Error{Failure::interrupted, "stop"}; }));
}

}  // namespace
}  // namespace stopover
