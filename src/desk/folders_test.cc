#include "desk/folders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "desk/job_fields.h"
#include "disk/private_folder.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

class FoldersTest : public testing::Test {
 protected:
  FoldersTest() : place_(*PrivateFolder::make(temporary_place(), "stopover-folders-")) {
    root_ = fs::canonical(place_.path()).string();
    fs::create_directories(root_ + "/data/inner");
    fs::create_directories(root_ + "/data2");
    for (const char* name : {"/data/trips.csv", "/data/inner/more.parquet", "/data2/else.csv", "/data/.hidden.csv",
                             "/data/run.sh", "/data/z.geojson", "/data/city.ledger"})
      std::ofstream(root_ + name) << "x";
    fs::create_directory_symlink(root_ + "/data2", root_ + "/data/link");
    fs::create_symlink(root_ + "/data2/else.csv", root_ + "/data/link.csv");
    folders_ = *Folders::open({root_ + "/data"}, root_ + "/desk");
  }
  PrivateFolder place_;
  std::string root_;
  Folders folders_;
};

TEST_F(FoldersTest, MakesItsOwnForThisUserAlone) {
  for (const char* part : {"drafts", "releases", "ledgers", "zones", "exports"})
    EXPECT_TRUE(fs::is_directory(folders_.own(part))) << part;
  EXPECT_EQ(fs::status(folders_.own()).permissions() & fs::perms::all, fs::perms::owner_all);
  EXPECT_TRUE(Folders::open({root_ + "/data"}, root_ + "/desk")) << "it may be there already";
  EXPECT_FALSE(Folders::open({root_ + "/none"}, root_ + "/desk"));
}

TEST_F(FoldersTest, ReadsInsideAndNowhereElse) {
  EXPECT_TRUE(folders_.readable(root_ + "/data/trips.csv"));
  EXPECT_EQ(*folders_.readable(root_ + "/data/inner/../trips.csv"), root_ + "/data/trips.csv");
  for (const char* path : {"/data2/else.csv", "/data/../data2/else.csv", "/data/link/else.csv", "/data/link.csv", "",
                           "/data/none.csv", "/dat"})
    EXPECT_FALSE(folders_.readable(root_ + path)) << path;
  EXPECT_FALSE(folders_.readable("trips.csv"));
  EXPECT_FALSE(folders_.readable(""));
  EXPECT_FALSE(folders_.readable(root_ + std::string("/data/trips.csv\0x", 17)));
}

TEST_F(FoldersTest, WritesToItsOwnAlone) {
  EXPECT_TRUE(folders_.writable(folders_.own("releases") + "/a.odr"));
  EXPECT_FALSE(folders_.writable(root_ + "/data/a.odr"));
  EXPECT_TRUE(folders_.writable(root_ + "/data/city.ledger", true));
  for (const char* path : {"/desk/../a", "/desk/releases/..", "/desk/releases/none/a.odr", "/desk/"})
    EXPECT_FALSE(folders_.writable(root_ + path)) << path;
  fs::create_symlink(root_ + "/data2/new", folders_.own("releases") + "/out.odr");
  EXPECT_FALSE(folders_.writable(folders_.own("releases") + "/out.odr")) << "a link that leads out";
}

TEST_F(FoldersTest, ListsWhatCanBeChosen) {
  std::string names;
  const std::vector<FolderEntry> entries = *folders_.list(root_ + "/data");
  for (const FolderEntry& entry : entries) names += entry.name + ":" + entry.kind + " ";
  EXPECT_EQ(names, "inner:folder city.ledger:ledger trips.csv:rows z.geojson:zones ");
  EXPECT_FALSE(folders_.list(root_ + "/data2"));
  EXPECT_FALSE(folders_.list(root_ + "/data/trips.csv"));
  EXPECT_EQ(folders_.found("ledger").size(), 1u);
}

TEST_F(FoldersTest, NamesOfFilesArePlain) {
  for (const char* good : {"bikes 2019", "a.b-c_d"}) EXPECT_TRUE(plain_name(good)) << good;
  for (const char* bad : {"", "..", ".x", "a/b", "a\\b", "\xc3\xa9", " x"}) EXPECT_FALSE(plain_name(bad)) << bad;
}

TEST_F(FoldersTest, FieldsOfAJobAreThoseThatThePageMayHave) {
  const auto code = [&](const std::string& job, const Json& fields, bool sql = false) {
    const Result<Json> checked = checked_fields(job, fields, folders_, sql);
    return checked ? 0 : static_cast<int>(checked.error().failure);
  };
  const std::string input = root_ + "/data/trips.csv";
  EXPECT_EQ(code("inspect", {{"input", input}, {"lat", "lat"}, {"points", {"a,b"}}}), 0);
  EXPECT_EQ(code("inspect", {{"input", root_ + "/data2/else.csv"}}), 4);
  EXPECT_EQ(code("inspect", {{"input", 5}}), 2);
  EXPECT_EQ(code("inspect", {{"sql", "SELECT 1"}}), 4);
  EXPECT_EQ(code("inspect", {{"sql", "SELECT 1"}}, true), 0);
  for (const char* field : {"state", "test_key", "sign", "matrix", "extensions", "memory_limit", "witnesses", "config"})
    EXPECT_EQ(code("publish", {{"input", input}, {field, "x"}}), 2) << field;
  EXPECT_EQ(code("publish", {{"output", root_ + "/data/a.odr"}}), 4);
  EXPECT_EQ(code("publish", {{"ledger", root_ + "/data/city.ledger"}}), 0);
  EXPECT_EQ(code("export", {{"zones", "h3:8"}}), 0);
  EXPECT_EQ(code("export", {{"zones", "h3:/etc/passwd"}}), 4);
  EXPECT_EQ(code("anything", Json::object()), 2);
  EXPECT_EQ(code("plan", Json::array()), 2);
}

}  // namespace
}  // namespace stopover
