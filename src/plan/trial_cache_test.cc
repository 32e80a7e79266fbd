#include "plan/trial_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace stopover {
namespace {

const Trial kTrial{7, {1.5, 0.1}, {0.25}, 30.125, {{1, 20, 0.1, 0.4}}, {{1, 2, 1e-17, 3}}};

class TrialCacheTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }
  const std::string folder_ = testing::TempDir() + "trials";
};

TEST_F(TrialCacheTest, KeepsWhatItWasGiven) {
  const TrialCache cache(folder_);
  EXPECT_FALSE(cache.find("a"));
  cache.keep("a", kTrial);
  ASSERT_TRUE(cache.find("a"));
  EXPECT_EQ(*cache.find("a"), kTrial);
  EXPECT_FALSE(cache.find("b"));
}

TEST_F(TrialCacheTest, TakesNothingThatIsDamagedOrAnothers) {
  const TrialCache cache(folder_);
  cache.keep("a", kTrial);
  const std::string path = std::filesystem::directory_iterator(folder_)->path();
  for (const char* text : {"b\n{}\n", "a\n{\"partitions\": 3}\n", "a\n[1]\n", "a\n", "", "a\n{\"partitions\":"}) {
    std::ofstream(path) << text;
    EXPECT_FALSE(cache.find("a")) << text;
  }
  cache.keep("a", kTrial);
  EXPECT_TRUE(cache.find("a"));
}

TEST(TrialCache, LivesWithoutAFolder) {
  const TrialCache none("");
  none.keep("a", kTrial);
  EXPECT_FALSE(none.find("a"));
  const TrialCache nowhere("/proc/none");
  nowhere.keep("a", kTrial);
  EXPECT_FALSE(nowhere.find("a"));
}

}  // namespace
}  // namespace stopover
