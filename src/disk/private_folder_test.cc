#include "disk/private_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

namespace stopover {
namespace {

namespace fs = std::filesystem;

const std::string kId(32, 'a');

mode_t mode_of(const std::string& path) {
  struct stat facts{};
  EXPECT_EQ(lstat(path.c_str(), &facts), 0) << path;
  return facts.st_mode & 07777;
}

class PrivateFolderTest : public testing::Test {
 protected:
  PrivateFolderTest() : place_(testing::TempDir() + "private-XXXXXX") { EXPECT_NE(mkdtemp(place_.data()), nullptr); }
  ~PrivateFolderTest() override { fs::remove_all(place_); }

  std::string folder_with_file(const std::string& name) const {
    fs::create_directories(place_ + "/" + name + "/below");
    std::ofstream(place_ + "/" + name + "/below/rows") << "user 17";
    return place_ + "/" + name;
  }
  // Makes a folder, puts something into it and is killed.
  void be_killed(const std::string& name) const {
    const pid_t child = fork();
    if (child == 0) {
      const Result<PrivateFolder> folder = PrivateFolder::make(place_, name);
      if (folder) std::ofstream(folder->path() + "/rows") << "user 17";
      kill(getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(place_), fs::directory_iterator()));
  }

  std::string place_;
};

TEST_F(PrivateFolderTest, IsForItsOwnerAloneAndGoesWithIt) {
  const mode_t before = umask(0);
  std::string path;
  {
    const Result<PrivateFolder> folder = PrivateFolder::make(place_, "a-");
    ASSERT_TRUE(folder) << folder.error().message;
    path = folder->path();
    EXPECT_EQ(mode_of(path), 0700U);
    fs::create_directories(path + "/deep/er");
    std::ofstream(path + "/deep/er/file") << "x";
    fs::create_symlink(place_, path + "/link");
  }
  umask(before);
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(place_)) << "a link in it was followed";
}

TEST_F(PrivateFolderTest, WhatAKilledProcessLeftGoesWithTheNextOne) {
  be_killed("a-");
  ASSERT_EQ(entries(), 1U);
  {
    ASSERT_TRUE(PrivateFolder::make(place_, "b-"));
  }
  EXPECT_EQ(entries(), 1U) << "another name is none of its business";
  {
    ASSERT_TRUE(PrivateFolder::make(place_, "a-"));
  }
  EXPECT_EQ(entries(), 0U);
}

TEST_F(PrivateFolderTest, OneInUseStays) {
  const Result<PrivateFolder> first = PrivateFolder::make(place_, "a-");
  ASSERT_TRUE(first);
  std::ofstream(first->path() + "/rows") << "user 17";
  {
    ASSERT_TRUE(PrivateFolder::make(place_, "a-"));
  }
  EXPECT_TRUE(fs::exists(first->path() + "/rows"));
  remove_leftovers(place_, "a-", "");
  EXPECT_TRUE(fs::exists(first->path() + "/rows"));
}

TEST_F(PrivateFolderTest, OnlyTheExactNameIsRemoved) {
  for (const std::string& name :
       {"a-" + kId.substr(1), "a-" + kId + "a", "a-x" + kId, "a-" + std::string(32, 'A'), "b-" + kId, kId}) {
    folder_with_file(name);
    remove_leftovers(place_, "a-", "");
    EXPECT_TRUE(fs::exists(place_ + "/" + name)) << name;
  }
  folder_with_file("a-" + kId);
  remove_leftovers(place_, "a-", "");
  EXPECT_FALSE(fs::exists(place_ + "/a-" + kId));
}

TEST_F(PrivateFolderTest, NamesWithAnythingBetween) {
  const std::string left = folder_with_file(".city.odr.partial-" + kId);
  const std::string other = folder_with_file("city.odr.partial-" + kId), third = folder_with_file(".city.odr." + kId);
  remove_leftovers(place_, ".", ".partial-");
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(other));
  EXPECT_TRUE(fs::exists(third));
}

TEST_F(PrivateFolderTest, LinksAndFilesStay) {
  const std::string precious = folder_with_file("precious");
  fs::create_symlink(precious, place_ + "/a-" + kId);
  std::ofstream(place_ + "/a-" + std::string(32, 'b')) << "a file";
  remove_leftovers(place_, "a-", "");
  EXPECT_TRUE(fs::exists(precious + "/below/rows"));
  EXPECT_TRUE(fs::is_symlink(place_ + "/a-" + kId));
  EXPECT_TRUE(fs::exists(place_ + "/a-" + std::string(32, 'b')));
}

TEST_F(PrivateFolderTest, AnotherUsersFolderStays) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const std::string theirs = folder_with_file("a-" + kId);
  ASSERT_EQ(chown(theirs.c_str(), 12345, 12345), 0);
  remove_leftovers(place_, "a-", "");
  EXPECT_TRUE(fs::exists(theirs + "/below/rows"));
}

TEST_F(PrivateFolderTest, AtAPathIsHeldOnce) {
  const std::string path = place_ + "/held";
  const Result<PrivateFolder> held = PrivateFolder::at(path);
  ASSERT_TRUE(held);
  EXPECT_EQ(mode_of(path), 0700U);
  const Result<PrivateFolder> again = PrivateFolder::at(path);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().failure, Failure::locked);
  fs::create_symlink(place_, place_ + "/link");
  EXPECT_FALSE(PrivateFolder::at(place_ + "/link"));
}

TEST_F(PrivateFolderTest, MovedAwayItStays) {
  {
    Result<PrivateFolder> folder = PrivateFolder::at(place_ + "/partial");
    ASSERT_TRUE(folder);
    std::ofstream(folder->path() + "/release") << "x";
    fs::rename(folder->path(), place_ + "/whole");
    fs::create_directory(place_ + "/partial");  // of somebody else
    std::ofstream(place_ + "/partial/theirs") << "x";
  }
  EXPECT_TRUE(fs::exists(place_ + "/whole/release"));
  EXPECT_TRUE(fs::exists(place_ + "/partial/theirs"));
}

// Between making a folder and locking it another process may take it for a leftover. What make() gives must be there.
TEST_F(PrivateFolderTest, MakingAndCleaningAtOnce) {
  std::atomic<bool> done = false;
  std::thread cleaner([&] {
    while (!done) remove_leftovers(place_, "a-", "");
  });
  for (int i = 0; i < 300; ++i) {
    const Result<PrivateFolder> folder = PrivateFolder::make(place_, "a-");
    ASSERT_TRUE(folder) << folder.error().message;
    std::ofstream file(folder->path() + "/rows");
    file << "user 17" << std::flush;
    EXPECT_TRUE(file.good());
    EXPECT_TRUE(fs::exists(folder->path() + "/rows"));
  }
  done = true;
  cleaner.join();
}

TEST_F(PrivateFolderTest, SaysWhereItCannotBeMade) {
  const Result<PrivateFolder> folder = PrivateFolder::make(place_ + "/nowhere", "a-");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().failure, Failure::bad_input);
  EXPECT_NE(folder.error().message.find("/nowhere/a-"), std::string::npos);
}

}  // namespace
}  // namespace stopover
