#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "ledger/file_system.h"
#include "testing/fake_file_system.h"

namespace stopover {
namespace {

// The same promises, kept by the disk, by the disk without RENAME_NOREPLACE, and by the fake.
class FileSystemTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "fake") {
      files_ = std::make_unique<FakeFileSystem>(1);
      root_ = "root";
    } else {
      files_ = posix_file_system(GetParam() == "posix");
      root_ = testing::TempDir() + "stopover-files-" + files_->fresh_id();
    }
    ASSERT_TRUE(files_->make_directory(root_));
  }
  void TearDown() override { EXPECT_TRUE(files_->remove_tree(root_)); }

  std::string at(const std::string& name) const { return root_ + "/" + name; }
  std::string content(const std::string& name) {
    const Result<std::string> text = files_->read_file(at(name));
    return text ? *text : "<" + text.error().message + ">";
  }

  std::unique_ptr<FileSystem> files_;
  std::string root_;
};

TEST_P(FileSystemTest, WritesReadsAppends) {
  EXPECT_FALSE(files_->exists(at("a")));
  ASSERT_TRUE(files_->write_file(at("a"), "one"));
  EXPECT_TRUE(files_->exists(at("a")));
  EXPECT_EQ(content("a"), "one");
  ASSERT_TRUE(files_->write_file(at("a"), "2"));
  EXPECT_EQ(content("a"), "2");
  auto file = files_->open_append(at("a"));
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->append(" and more"));
  ASSERT_TRUE((*file)->append(std::string("\0x", 2)));
  ASSERT_TRUE((*file)->sync());
  EXPECT_EQ(*(*file)->read(), std::string("2 and more\0x", 12));
  EXPECT_EQ(content("a"), std::string("2 and more\0x", 12));
  const std::string large(300'000, 'z');
  ASSERT_TRUE(files_->write_file(at("b"), large));
  EXPECT_EQ(content("b"), large);
}

TEST_P(FileSystemTest, MissingThingsAreErrorsThatNameThem) {
  for (const Status& s :
       {Status(files_->fsync_path(at("gone"))), Status(files_->fsync_dir(at("gone"))),
        Status(files_->write_file(at("gone/a"), "x")), Status(files_->rename(at("gone"), at("there"))),
        Status(files_->replace(at("gone"), at("there")))}) {
    ASSERT_FALSE(s);
    EXPECT_EQ(s.error().failure, Failure::bad_input) << s.error().message;
    EXPECT_NE(s.error().message.find(root_), std::string::npos) << s.error().message;
  }
  EXPECT_FALSE(files_->open_append(at("gone")));
  EXPECT_FALSE(files_->read_file(at("gone")));
  EXPECT_FALSE(files_->exists(at("gone")));
  EXPECT_FALSE(files_->read_file(root_));
  EXPECT_FALSE(files_->open_append(root_));
  EXPECT_TRUE(files_->remove_tree(at("gone")));
}

TEST_P(FileSystemTest, RenameNeverReplaces) {
  ASSERT_TRUE(files_->write_file(at("a"), "a"));
  ASSERT_TRUE(files_->write_file(at("b"), "b"));
  ASSERT_TRUE(files_->make_directory(at("d")));
  ASSERT_TRUE(files_->write_file(at("d/x"), "x"));
  ASSERT_TRUE(files_->make_directory(at("empty")));
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"a", "b"}, {"a", "d"}, {"d", "a"}, {"d", "empty"}, {"empty", "d"}, {"a", "empty"}}) {
    const Status s = files_->rename(at(from), at(to));
    ASSERT_FALSE(s) << from << " to " << to;
    EXPECT_EQ(s.error().failure, Failure::output_exists) << s.error().message;
    EXPECT_NE(s.error().message.find(at(to)), std::string::npos);
  }
  EXPECT_EQ(content("a"), "a");
  EXPECT_EQ(content("b"), "b");
  ASSERT_TRUE(files_->rename(at("a"), at("c")));
  EXPECT_FALSE(files_->exists(at("a")));
  EXPECT_EQ(content("c"), "a");
  ASSERT_TRUE(files_->rename(at("d"), at("e")));
  EXPECT_FALSE(files_->exists(at("d")));
  EXPECT_EQ(content("e/x"), "x");
  ASSERT_TRUE(files_->fsync_path(at("e/x")));
  ASSERT_TRUE(files_->fsync_dir(at("e")));
  ASSERT_TRUE(files_->fsync_dir(root_));
}

TEST_P(FileSystemTest, ReplaceReplaces) {
  ASSERT_TRUE(files_->write_file(at("a"), "a"));
  ASSERT_TRUE(files_->write_file(at("b"), "b"));
  ASSERT_TRUE(files_->replace(at("a"), at("b")));
  EXPECT_EQ(content("b"), "a");
  EXPECT_FALSE(files_->exists(at("a")));
}

TEST_P(FileSystemTest, MakesAndRemovesTrees) {
  ASSERT_TRUE(files_->make_directory(at("x/y/z")));
  ASSERT_TRUE(files_->make_directory(at("x/y/z")));
  ASSERT_TRUE(files_->write_file(at("x/y/z/f"), "f"));
  ASSERT_TRUE(files_->remove_tree(at("x")));
  EXPECT_FALSE(files_->exists(at("x")));
}

TEST_P(FileSystemTest, OneAppenderAtATime) {
  ASSERT_TRUE(files_->write_file(at("a"), "a"));
  {
    const auto first = files_->open_append(at("a"));
    ASSERT_TRUE(first);
    const auto second = files_->open_append(at("a"));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().failure, Failure::locked);
    EXPECT_NE(second.error().message.find("locked"), std::string::npos);
    EXPECT_EQ(content("a"), "a");
  }
  EXPECT_TRUE(files_->open_append(at("a")));
}

TEST_P(FileSystemTest, FreshIdsDiffer) {
  const std::string a = files_->fresh_id();
  EXPECT_EQ(a.size(), 32U);
  EXPECT_EQ(a.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(a, files_->fresh_id());
}

INSTANTIATE_TEST_SUITE_P(All, FileSystemTest, testing::Values("posix", "posix_without_noreplace", "fake"),
                         [](const auto& name) { return name.param; });

TEST(PosixFileSystem, ADanglingLinkExists) {
  const auto files = posix_file_system();
  const std::string link = testing::TempDir() + "stopover-link-" + files->fresh_id();
  ASSERT_EQ(::symlink("nowhere-at-all", link.c_str()), 0);
  EXPECT_TRUE(files->exists(link));
  EXPECT_FALSE(files->read_file(link));
  EXPECT_TRUE(files->remove_tree(link));
}

TEST(PosixFileSystem, AnEndlessFileIsNotRead) {
  const Result<std::string> text = posix_file_system()->read_file("/dev/zero");
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("too large"), std::string::npos) << text.error().message;
}

TEST(PosixFileSystem, AFullDiskIsToldWithItsName) {
  const Status s = posix_file_system()->write_file("/dev/full", "x");
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().message, "cannot write /dev/full: No space left on device");
}

TEST(PosixFileSystem, ParentDirectory) {
  EXPECT_EQ(parent_directory("a"), ".");
  EXPECT_EQ(parent_directory("a/b"), "a");
  EXPECT_EQ(parent_directory("/a"), "/");
  EXPECT_EQ(parent_directory("/a/b/c"), "/a/b");
}

TEST(FakeFileSystem, ForgetsWhatWasNotSynced) {
  int lost_name = 0, lost_bytes = 0, torn = 0, zeros = 0, kept = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    FakeFileSystem files(seed);
    ASSERT_TRUE(files.write_file("a", "first"));
    ASSERT_TRUE(files.fsync_dir("."));
    {
      ASSERT_TRUE((*files.open_append("a"))->append(" second"));
    }
    ASSERT_TRUE(files.write_file("b", "b"));
    files.lose_power();
    ASSERT_TRUE(files.exists("a"));
    const std::string a = files.content("a");
    ASSERT_TRUE(a.starts_with("first"));
    lost_name += !files.exists("b");
    if (files.exists("b")) {
      EXPECT_EQ(files.content("b"), "b");
    }
    lost_bytes += a == "first";
    kept += a == "first second";
    zeros += a.find('\0') != std::string::npos;
    torn += a.size() > 5 && a != "first second" && a.find('\0') == std::string::npos;
  }
  for (const int count : {lost_name, lost_bytes, torn, zeros, kept}) EXPECT_GT(count, 10);
}

TEST(FakeFileSystem, ARenameStaysInOnePiece) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    FakeFileSystem files(seed);
    ASSERT_TRUE(files.make_directory("d"));
    ASSERT_TRUE(files.write_file("d/x", "x"));
    ASSERT_TRUE(files.fsync_dir("d"));
    ASSERT_TRUE(files.fsync_dir("."));
    ASSERT_TRUE(files.rename("d", "e"));
    files.lose_power();
    EXPECT_NE(files.exists("d/x"), files.exists("e/x"));
  }
}

TEST(InterruptedFileSystem, FailsEverythingAfterItsLastCall) {
  FakeFileSystem inner(1);
  InterruptedFileSystem files(inner, 2);
  ASSERT_TRUE(files.write_file("a", "a"));
  auto file = files.open_append("a");
  ASSERT_TRUE(file);
  EXPECT_TRUE(files.dead());
  EXPECT_FALSE((*file)->append("b"));
  EXPECT_FALSE(files.rename("a", "c"));
  EXPECT_EQ(inner.content("a"), "a");
}

}  // namespace
}  // namespace stopover
