#include "serve/tile_archive.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "serve/sample_archive.h"

namespace stopover {
namespace {

class TileArchiveTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("stopover-tiles-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& bytes) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string refusal(const std::string& bytes) const {
    const auto opened = TileArchive::open(write("bad.pmtiles", bytes));
    if (opened) return "opened";
    EXPECT_EQ(opened.error().failure, Failure::bad_input);
    EXPECT_NE(opened.error().message.find("bad.pmtiles"), std::string::npos);
    EXPECT_NE(opened.error().message.find("\n  "), std::string::npos) << opened.error().message;
    return opened.error().message;
  }

  std::filesystem::path folder_;
};

TEST_F(TileArchiveTest, HandsOutParts) {
  const std::string bytes = sample::archive();
  const auto tiles = TileArchive::open(write("city.pmtiles", bytes));
  ASSERT_TRUE(tiles) << tiles.error().message;
  EXPECT_EQ((*tiles)->size(), 1000u);
  EXPECT_EQ((*tiles)->header().kind, TileKind::vector);
  EXPECT_EQ((*tiles)->header().max_zoom, 14u);
  EXPECT_EQ((*tiles)->header().west, -0.5);
  EXPECT_EQ((*tiles)->header().north, 0.4);
  std::string part;
  ASSERT_TRUE((*tiles)->read({300, 200}, part));
  EXPECT_EQ(part, bytes.substr(300, 200));
  ASSERT_TRUE((*tiles)->read({999, 1}, part));
  EXPECT_EQ(part, bytes.substr(999));
  EXPECT_DEATH((*tiles)->read({999, 2}, part), "lies in the file");
}

TEST_F(TileArchiveTest, RefusesWhatItIsNot) {
  const auto with = [](std::size_t at, char value) {
    std::string bytes = sample::archive();
    bytes[at] = value;
    return bytes;
  };
  EXPECT_EQ(refusal(sample::archive()), "opened");
  EXPECT_NE(refusal("").find("is not a PMTiles file"), std::string::npos);
  EXPECT_NE(refusal("<html>not found</html>").find("is not a PMTiles file"), std::string::npos);
  EXPECT_NE(refusal(std::string("SQLite format 3\0 and so on", 26)).find("pmtiles convert"), std::string::npos);
  EXPECT_NE(refusal(std::string("PM\x02\0 and so on", 14)).find("pmtiles convert"), std::string::npos);
  EXPECT_NE(refusal(with(7, 4)).find("version 4"), std::string::npos);
  EXPECT_NE(refusal(sample::archive().substr(0, 126)).find("126 bytes of 127"), std::string::npos);
  EXPECT_NE(refusal(sample::archive().substr(0, 999)).find("ends before its tiles"), std::string::npos);
  EXPECT_NE(refusal(sample::archive().substr(0, 200)).find("ends before its root directory"), std::string::npos);
  for (const char type : {'\0', '\5', '\6', 'c'})
    EXPECT_NE(refusal(with(99, type)).find("tiles of type"), std::string::npos);
  for (const char type : {'\2', '\3', '\4'}) EXPECT_EQ(refusal(with(99, type)), "opened");
  EXPECT_NE(refusal(with(97, 3)).find("directories compressed by method 3"), std::string::npos);
  EXPECT_NE(refusal(with(98, 4)).find("tiles compressed by method 4"), std::string::npos);
  EXPECT_NE(refusal(with(100, 15)).find("zooms from 15 to 14"), std::string::npos);
  EXPECT_NE(refusal(with(101, 27)).find("zooms from 0 to 27"), std::string::npos);
}

TEST_F(TileArchiveTest, RefusesPlacesThatOverflow) {
  for (const std::size_t at : {8, 16, 24, 32, 40, 48, 56, 64}) {
    std::string bytes = sample::archive();
    sample::put_number(bytes, at, ~std::uint64_t{0});
    EXPECT_NE(refusal(bytes).find("ends before its"), std::string::npos) << at;
  }
  std::string none = sample::archive();
  sample::put_number(none, 16, 0);
  EXPECT_NE(refusal(none).find("no directory"), std::string::npos);
}

TEST_F(TileArchiveTest, RefusesWhatIsNoFile) {
  EXPECT_EQ(TileArchive::open((folder_ / "none.pmtiles").string()).error().failure, Failure::bad_input);
  EXPECT_NE(TileArchive::open(folder_.string()).error().message.find("not a plain file"), std::string::npos);
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(TileArchive::open(pipe).error().message.find("not a plain file"), std::string::npos);
}

TEST_F(TileArchiveTest, GoesOnWithTheOldFileWhenAnotherTakesItsPlace) {
  const std::string path = write("city.pmtiles", sample::archive(1000));
  const auto old = TileArchive::open(path);
  std::filesystem::rename(write("new.pmtiles", sample::archive(2000)), path);
  std::string part;
  ASSERT_TRUE((*old)->read({900, 100}, part));
  EXPECT_EQ(part, sample::archive().substr(900));
  const auto now = TileArchive::open(path);
  EXPECT_EQ((*now)->size(), 2000u);
  EXPECT_NE((*now)->etag(), (*old)->etag());
}

TEST_F(TileArchiveTest, HandsOutNothingThatWasWrittenOver) {
  const std::string path = write("city.pmtiles", sample::archive(1000));
  // Files know their time no better than by a tick of the clock; make it an old one.
  const timespec past[2] = {{1'600'000'000, 0}, {1'600'000'000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), past, 0), 0);
  const auto old = TileArchive::open(path);
  std::string part;
  ASSERT_TRUE((*old)->read({900, 100}, part));
  write("city.pmtiles", sample::archive(1000));
  EXPECT_FALSE((*old)->read({900, 100}, part));
  write("city.pmtiles", "short");
  EXPECT_FALSE((*old)->read({900, 100}, part));
}

}  // namespace
}  // namespace stopover
