#include "disk/write_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace stopover {
namespace {

class WriteFile : public testing::Test {
 protected:
  WriteFile() : folder_(testing::TempDir() + "write-XXXXXX") {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    before_ = umask(0);
  }
  ~WriteFile() override {
    umask(before_);
    std::filesystem::remove_all(folder_);
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  static mode_t mode_of(const std::string& path) {
    struct stat facts{};
    EXPECT_EQ(lstat(path.c_str(), &facts), 0) << path;
    return facts.st_mode & 0777;
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder_;
  mode_t before_;
};

TEST_F(WriteFile, ForItsOwnerAloneWhateverTheUmask) {
  ASSERT_TRUE(write_file(path("private"), "true counts", Readers::owner));
  EXPECT_EQ(mode_of(path("private")), 0600U);
  ASSERT_TRUE(write_file(path("usual"), "text"));
  EXPECT_EQ(mode_of(path("usual")), 0666U);
  EXPECT_EQ(content(path("private")), "true counts");
  ASSERT_TRUE(make_private_file(path("empty")));
  EXPECT_EQ(mode_of(path("empty")), 0600U);
}

TEST_F(WriteFile, WhoHasTheOldFileOpenDoesNotSeeTheNewOne) {
  ASSERT_TRUE(write_file(path("a"), "old"));
  std::ifstream reader(path("a"));
  ASSERT_TRUE(write_file(path("a"), "new", Readers::owner));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "old");
  EXPECT_EQ(mode_of(path("a")), 0600U);
}

TEST_F(WriteFile, ALinkIsReplacedNotFollowed) {
  ASSERT_TRUE(write_file(path("elsewhere"), "old"));
  std::filesystem::create_symlink(path("elsewhere"), path("link"));
  ASSERT_TRUE(write_file(path("link"), "true counts", Readers::owner));
  EXPECT_EQ(content(path("elsewhere")), "old");
}

TEST_F(WriteFile, AFullDiskIsToldAsOne) {
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  getrlimit(RLIMIT_FSIZE, &old_limit);
  const rlimit small{1000, old_limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const Status written = write_file(path("a"), std::string(5000, 'x'));
  setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_action);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().failure, Failure::disk_full);
  const Status nowhere = write_file(path("no/where"), "x");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().failure, Failure::bad_input);
}

}  // namespace
}  // namespace stopover
