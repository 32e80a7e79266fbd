#include "explore/release_pack.h"

#include <gtest/gtest.h>

#include "query/synthetic_release.h"
#include "release/sample_release.h"

namespace stopover {
namespace {

TEST(ReleasePack, GivesBackTheSameRelease) {
  for (const Release& release : {sample::paper(1, -3, 5), sample::city(), sample::maps(), sample::grid(40)}) {
    const Result<Release> same = unpack_release(pack_release(release));
    ASSERT_TRUE(same) << same.error().message;
    EXPECT_EQ(*same, release);
  }
}

TEST(ReleasePack, KeepsWhereTheRandomnessCameFrom) {
  for (const Randomness& randomness : {Randomness::repeatable("a"), Randomness()}) {
    Release release = sample::city();
    release.randomness = randomness;
    EXPECT_EQ(*unpack_release(pack_release(release)), release);
  }
  Release old = sample::city();
  old.format = 1;
  EXPECT_EQ(*unpack_release(pack_release(old)), old);
}

TEST(ReleasePack, KeepsTheCalibration) {
  Release release = sample::maps();
  Calibration c;
  c.draws = 3;
  c.questions = 400;
  c.weights = {1, 0.5, 0, 2, 0, 0, 0.25};
  c.tails = {0.5, 0.1, 0.01};
  c.signals = {0, 1.5};
  c.below = {-0.1, -1, -2, -0.1, -1.1, -2.5};
  c.above = {0.1, 1, 2, 0.1, 1.2, 2.5};
  release.calibration = c;
  ASSERT_TRUE(check_release(release)) << check_release(release).error().message;
  const Result<Release> same = unpack_release(pack_release(release));
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(*same, release);
}

TEST(ReleasePack, IsSmall) {
  const Release release = sample::grid(100);
  EXPECT_LT(pack_release(release).size(), 20 * release.tables[0].rows());
}

TEST(ReleasePack, RefusesEveryPieceOfAPack) {
  const std::string bytes = pack_release(sample::city());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(unpack_release(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(unpack_release(bytes + '\0'));
}

TEST(ReleasePack, SurvivesEveryChangedByte) {
  const std::string bytes = pack_release(sample::maps());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const unsigned flip : {0x01u, 0x40u, 0x80u, 0xffu}) {
      std::string other = bytes;
      other[i] = static_cast<char>(static_cast<unsigned char>(other[i]) ^ flip);
      const Result<Release> read = unpack_release(other);
      // A change that leaves a valid release (a letter of a name, a count) must show in it.
      if (read) {
        EXPECT_EQ(pack_release(*read), other) << i;
      }
    }
  }
}

TEST(ReleasePack, DoesNotTrustLengths) {
  std::string bytes = "stopover-pack-4\n\x02\x06system";
  for (int i = 0; i < 9; ++i) bytes += '\xff';
  EXPECT_FALSE(unpack_release(bytes + '\x01'));
  EXPECT_FALSE(unpack_release(bytes + '\x7f'));
}

}  // namespace
}  // namespace stopover
