#include "page/coarse_release.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mechanism/mechanism.h"
#include "privacy/stream_dice.h"
#include "query/answerer.h"
#include "synthetic/generate.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

Release city(const char* name) {
  const Matrix matrix = to_matrix(*generate_city(2, 30'000, 256, 7));
  StreamDice dice(test_key("coarse"));
  Kernel kernel(matrix, dice, 2'000'000'000, 1);
  const Mechanism& mechanism = *find_mechanism(name);
  Release release = run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
  release.randomness = Randomness::repeatable("coarse");
  return release;
}

TEST(CoarseRelease, SaysTheSameInFewerBoxes) {
  for (const char* name : {"anchor", "daf-entropy"}) {
    const Release release = city(name);
    ASSERT_TRUE(check_release(release)) << name;
    const std::size_t most = release.tables[0].rows() / 3;
    const std::optional<Release> coarse = coarsened(release, most);
    ASSERT_TRUE(coarse) << name;
    const Status checked = check_release(*coarse);
    ASSERT_TRUE(checked) << name << ": " << checked.error().message;
    EXPECT_LE(coarse->tables[0].rows(), most);
    EXPECT_GT(coarse->tables[0].rows(), most / 8) << "there was room for more";
    EXPECT_EQ(coarse->tables[0].estimate[0], release.tables[0].estimate[0]);
    EXPECT_FALSE(coarse->has_likely_intervals());
    const Result<BoxIndex> whole = BoxIndex::make(release), fewer = BoxIndex::make(*coarse);
    const BoxQuery all = BoxQuery::whole(release.domain);
    EXPECT_NEAR(answer(*fewer, all, {}).estimate, answer(*whole, all, {}).estimate, 1e-6 * 30'000);
  }
}

TEST(CoarseRelease, LeavesSmallOnesAlone) {
  const Release release = city("anchor");
  EXPECT_FALSE(coarsened(release));
  EXPECT_FALSE(coarsened(release, release.tables[0].rows()));
}

}  // namespace
}  // namespace stopover
