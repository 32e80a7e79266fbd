#include "serve/shelf.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "release/sample_release.h"
#include "release_io/release_io.h"
#include "serve/respond.h"
#include "serve/sample_archive.h"
#include "trust/release_papers.h"

namespace stopover {
namespace {

class ShelfLoading : public testing::Test {
 protected:
  ShelfLoading()
      : folder_(std::filesystem::path(testing::TempDir()) / ("stopover-shelf-" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~ShelfLoading() override { std::filesystem::remove_all(folder_); }

  std::string release() const { return folder_ / "grid.odr"; }
  std::string tiles() const { return folder_ / "map.pmtiles"; }
  ShelfLoader loader() const { return ShelfLoader({release()}, tiles()); }

  // As publish does: beside the old one, then renamed.
  void put_release(std::uint32_t n) const {
    const std::filesystem::path next = folder_ / "next";
    std::filesystem::create_directory(next);
    const Status written = write_release(sample::grid(n), next, 1);
    ASSERT_TRUE(written) << written.error().message;
    std::filesystem::remove_all(release());
    std::filesystem::rename(next, release());
  }
  void put_tiles(const std::string& bytes) const {
    std::ofstream(tiles() + ".next", std::ios::binary) << bytes;
    std::filesystem::rename(tiles() + ".next", tiles());
  }

 private:
  std::filesystem::path folder_;
};

std::uint32_t cells_of(const Shelf& shelf) { return shelf.releases[0]->domain.axes()[0].cells; }

TEST_F(ShelfLoading, FailsAtTheStartWithoutTheTiles) {
  put_release(4);
  EXPECT_FALSE(loader().load());
  put_tiles("no map");
  EXPECT_FALSE(loader().load());
  put_tiles(sample::archive());
  EXPECT_TRUE(loader().load());
}

TEST_F(ShelfLoading, TellsWhoSignedAndWhatWasSuperseded) {
  put_release(4);
  ShelfLoader shelves({release()});
  const auto first = shelves.load();
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_NE((*first)->releases[0]->about.find("\"signed_by\":[]"), std::string::npos);
  EXPECT_EQ((*first)->releases[0]->about.find("superseded"), std::string::npos);
  const Release grid = sample::grid(4);
  const SecretKey key = *SecretKey::make();
  ASSERT_TRUE(add_signature(release(), *content_sha256(grid), grid.ledger_head, key));
  ASSERT_TRUE(add_note(release(), {*content_sha256(grid), "", "too coarse", "2025-01-01"}, nullptr));
  const ShelfChange change = shelves.reload();
  ASSERT_NE(change.shelf, nullptr) << "a note is taken up without a restart";
  const std::string about = change.shelf->releases[0]->about;
  EXPECT_NE(about.find(key_name(key.public_key().id)), std::string::npos) << about;
  EXPECT_NE(about.find("too coarse"), std::string::npos) << about;
  EXPECT_EQ(shelves.reload().shelf, nullptr);
}

TEST_F(ShelfLoading, TakesUpAReleaseWhileTheTilesAreMissingOrBad) {
  put_release(4);
  put_tiles(sample::archive(1000));
  ShelfLoader shelves = loader();
  const auto first = shelves.load();
  ASSERT_TRUE(first) << first.error().message;

  std::uint32_t cells = 4;
  for (const bool gone : {true, false}) {
    if (gone) {
      std::filesystem::remove(tiles());
    } else {
      put_tiles("no map");
    }
    put_release(cells *= 2);
    ShelfChange change = shelves.reload();  // the file may still be written
    ASSERT_NE(change.shelf, nullptr);
    EXPECT_EQ(cells_of(*change.shelf), cells);
    EXPECT_EQ(change.shelf->tiles, (*first)->tiles);
    EXPECT_TRUE(change.refused.empty());

    change = shelves.reload();
    EXPECT_EQ(change.shelf, nullptr);
    ASSERT_EQ(change.refused.size(), 1u);
    EXPECT_TRUE(change.refused[0].message.starts_with(tiles())) << change.refused[0].message;

    put_release(cells *= 2);  // told once
    change = shelves.reload();
    ASSERT_NE(change.shelf, nullptr);
    EXPECT_EQ(cells_of(*change.shelf), cells);
    EXPECT_EQ(change.shelf->tiles, (*first)->tiles);
    EXPECT_TRUE(change.refused.empty());
  }

  put_tiles(sample::archive(2000));
  EXPECT_EQ(shelves.reload().shelf, nullptr);
  const ShelfChange mended = shelves.reload();
  ASSERT_NE(mended.shelf, nullptr);
  EXPECT_EQ(mended.shelf->tiles->size(), 2000u);
  EXPECT_TRUE(mended.refused.empty());
  EXPECT_EQ(shelves.reload().shelf, nullptr);
}

TEST_F(ShelfLoading, KeepsTheOldOneWhileAReleaseCannotBeRead) {
  put_release(4);
  put_tiles(sample::archive(1000));
  ShelfLoader shelves = loader();
  ASSERT_TRUE(shelves.load());
  std::filesystem::remove_all(release());
  ShelfChange change = shelves.reload();
  EXPECT_EQ(change.shelf, nullptr);
  EXPECT_EQ(change.refused.size(), 1u);

  put_tiles(sample::archive(2000));
  for (int i = 0; i < 3; ++i) {  // told once
    change = shelves.reload();
    EXPECT_EQ(change.shelf, nullptr);
    EXPECT_TRUE(change.refused.empty());
  }
  put_release(8);
  change = shelves.reload();
  ASSERT_NE(change.shelf, nullptr);
  EXPECT_EQ(cells_of(*change.shelf), 8u);
  EXPECT_EQ(change.shelf->tiles->size(), 2000u);
}

TEST_F(ShelfLoading, KeepsOnlyEnginesThatFit) {
  std::vector<std::string> paths;
  const std::size_t one = bytes_of(*QueryEngine::make(sample::grid(16)));
  for (std::uint32_t i = 0; i < 12; ++i) {
    const std::filesystem::path path = std::filesystem::path(release()).parent_path() / fmt::format("r{}.odr", i);
    std::filesystem::create_directory(path);
    Release grid = sample::grid(16);
    grid.number = i;
    const Status written = write_release(grid, path, 1);
    ASSERT_TRUE(written) << written.error().message;
    paths.push_back(path);
  }
  ShelfLoader shelves(paths, "", 3 * one);
  const auto shelf = shelves.load();
  ASSERT_TRUE(shelf) << shelf.error().message;
  ASSERT_EQ((*shelf)->releases.size(), 12u);
  EXPECT_EQ(shelves.engines().opened(), 12u) << "each is read once, which shows that it is good";
  EXPECT_EQ(shelves.engines().engines(), 3u);
  const HttpLimits limits;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 12; ++i) {
      const std::string target = fmt::format("/api/query?release=r{}.odr", i);
      EXPECT_EQ(respond(**shelf, {HttpMethod::post, target, "localhost", "application/json", "{}"}, limits).status,
                200);
      EXPECT_LE(shelves.engines().bytes(), 3 * one);
    }
  }
  EXPECT_EQ(shelves.engines().opened(), 36u);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE((*shelf)->releases[11]->engine());
  EXPECT_EQ(shelves.engines().opened(), 36u) << "the last one asked is still there";
  const EngineStore::Engine held = *(*shelf)->releases[11]->engine();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE((*shelf)->releases[static_cast<std::size_t>(i)]->engine());
  EXPECT_EQ(held->domain().axes().size(), sample::grid(16).domain.axes().size()) << "whoever holds one keeps it";

  // Replaced on disk by another: not answered under the old name and hash.
  std::filesystem::remove_all(paths[6]);
  std::filesystem::create_directory(paths[6]);
  ASSERT_TRUE(write_release(sample::grid(4), paths[6], 1));
  const HttpRequest asked{HttpMethod::post, "/api/query?release=r6.odr", "localhost", "application/json", "{}"};
  EXPECT_EQ(respond(**shelf, asked, limits).status, 503);
  const std::uint64_t opened = shelves.engines().opened();
  const ShelfChange change = shelves.reload();
  ASSERT_NE(change.shelf, nullptr);
  EXPECT_EQ(shelves.engines().opened(), opened + 1) << "only what changed is read again";
  EXPECT_EQ(respond(*change.shelf, asked, limits).status, 200);
}

}  // namespace
}  // namespace stopover
