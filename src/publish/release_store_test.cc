#include "publish/release_store.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

namespace {
std::atomic<int> umask_calls = 0;
}

// In place of the C library's: whoever changes the process's umask, if only for a moment, is seen.
extern "C" mode_t umask(mode_t mask) noexcept {
  ++umask_calls;
  return static_cast<mode_t>(syscall(SYS_umask, mask));
}

namespace stopover {
namespace {

namespace fs = std::filesystem;

class ReleaseStoreTest : public testing::Test {
 protected:
  ReleaseStoreTest() : place_(testing::TempDir() + "store-XXXXXX") { EXPECT_NE(mkdtemp(place_.data()), nullptr); }
  ~ReleaseStoreTest() override { fs::remove_all(place_); }
  std::string partial(char digit) const { return place_ + "/.a.odr.partial-" + std::string(32, digit); }
  static mode_t mode_of(const std::string& path) {
    struct stat facts{};
    EXPECT_EQ(stat(path.c_str(), &facts), 0) << path;
    return facts.st_mode & 0777;
  }
  std::string place_;
};

TEST_F(ReleaseStoreTest, TheFolderIsClosedAndThenAsOpenAsOthers) {
  for (const mode_t mask : {0U, 022U, 027U, 077U}) {
    const mode_t before = umask(mask);
    const std::unique_ptr<ReleaseStore> store = release_store(1);
    ASSERT_TRUE(store->close_folder(partial('1')));
    EXPECT_EQ(mode_of(partial('1')), 0700U);
    ASSERT_TRUE(store->open_folder(partial('1')));
    EXPECT_EQ(mode_of(partial('1')), 0777U & ~mask);
    EXPECT_TRUE(fs::is_empty(partial('1')));
    EXPECT_EQ(umask(before), mask);
    fs::remove_all(partial('1'));
  }
}

// Another thread's file, made at that moment, must not get the rights of a process without a umask.
TEST_F(ReleaseStoreTest, TheUmaskOfTheProcessStays) {
  const std::unique_ptr<ReleaseStore> store = release_store(1);
  const int before = umask_calls;
  ASSERT_TRUE(store->close_folder(partial('1')));
  ASSERT_TRUE(store->open_folder(partial('1')));
  EXPECT_EQ(umask_calls, before);
  umask(umask(022));
  EXPECT_EQ(umask_calls, before + 2);  // they are counted
}

TEST_F(ReleaseStoreTest, LeftoversOfTheDeadGoThoseOfTheLivingStay) {
  fs::create_directories(partial('1'));  // nobody holds it
  std::ofstream(partial('1') + "/joint.parquet") << "x";
  const std::unique_ptr<ReleaseStore> living = release_store(1), next = release_store(1);
  ASSERT_TRUE(living->close_folder(partial('2')));
  EXPECT_FALSE(fs::exists(partial('1')));
  std::ofstream(partial('2') + "/joint.parquet") << "x";
  ASSERT_TRUE(next->close_folder(partial('3')));
  EXPECT_TRUE(fs::exists(partial('2') + "/joint.parquet"));
  const Status taken = next->close_folder(partial('2'));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().failure, Failure::locked);
}

}  // namespace
}  // namespace stopover
