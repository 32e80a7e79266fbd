#include "disk/stored_zip.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "disk/private_folder.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

class StoredZip : public ::testing::Test {
 protected:
  StoredZip() : folder_(std::move(*PrivateFolder::make(temporary_place(), "stopover-zip-test-"))) {
    fs::create_directories(in() / "maps");
    put(in() / "b.json", "{}\n");
    put(in() / "a.parquet", std::string(3'000'000, 'x') + '\0');
    put(in() / "maps/c.parquet", "");
  }
  fs::path in() const { return fs::path(folder_.path()) / "in"; }
  std::string zip() const { return folder_.path() + "/x.odrz"; }
  Status write(std::vector<std::string> names) { return write_stored_zip(in().string(), std::move(names), zip()); }
  Status unpack() {
    fs::remove_all(fs::path(folder_.path()) / "out");
    fs::create_directories(fs::path(folder_.path()) / "out");
    return unpack_stored_zip(zip(), folder_.path() + "/out");
  }

  PrivateFolder folder_;
};

TEST_F(StoredZip, GoesBothWaysWithTheSameBytes) {
  ASSERT_TRUE(write({"b.json", "a.parquet", "maps/c.parquet"}));
  const std::string once = text_of(zip());
  ASSERT_TRUE(write({"maps/c.parquet", "a.parquet", "b.json"}));
  EXPECT_EQ(text_of(zip()), once);
  EXPECT_TRUE(is_zip(zip()));
  EXPECT_FALSE(is_zip((in() / "b.json").string()));
  const Status done = unpack();
  ASSERT_TRUE(done) << done.error().message;
  for (const char* name : {"a.parquet", "b.json", "maps/c.parquet"}) {
    EXPECT_EQ(text_of(fs::path(folder_.path()) / "out" / name), text_of(in() / name)) << name;
  }
}

TEST_F(StoredZip, FilesThatCannotBeReadAreTold) {
  EXPECT_EQ(write({"none"}).error().failure, Failure::bad_input);
  EXPECT_EQ(write_stored_zip(in().string(), {"b.json"}, folder_.path() + "/no/x").error().failure, Failure::bad_input);
  EXPECT_EQ(unpack().error().failure, Failure::bad_input);
}

TEST_F(StoredZip, DamageIsNoticedOrChangesNothing) {
  put(in() / "a.parquet", "some bytes");
  ASSERT_TRUE(write({"a.parquet", "b.json"}));
  const std::string good = text_of(zip());
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const char flip : {'\1', '\x80'}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      put(zip(), bad);
      if (!unpack()) continue;  // else a fact that nobody needs (a time, a mode), or a name
      std::size_t files = 0;
      for (const auto& entry : fs::recursive_directory_iterator(folder_.path() + "/out")) {
        if (entry.is_directory()) continue;
        ++files;
        const std::string text = text_of(entry.path());
        EXPECT_TRUE(text == "some bytes" || text == "{}\n") << "byte " << i;
      }
      EXPECT_EQ(files, 2U) << "byte " << i;
    }
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    put(zip(), good.substr(0, size));
    EXPECT_FALSE(unpack()) << size;
  }
  put(zip(), good + "x");
  EXPECT_FALSE(unpack());
}

TEST_F(StoredZip, NamesDoNotLeadOut) {
  ASSERT_TRUE(write({"maps/c.parquet"}));
  const std::string good = text_of(zip());
  for (const std::string name : {"../xx.parquet0", "/aps/c.parquet", "maps/..parquet", "maps//.parquet",
                                 ".aps/c.parquet", "maps\\c.parquet", "a/b/cc.parquet"}) {
    ASSERT_EQ(name.size(), 14U);
    std::string bad = good;
    for (std::size_t at = bad.find("maps/c"); at != std::string::npos; at = bad.find("maps/c", at + 1)) {
      bad.replace(at, 14, name);
    }
    put(zip(), bad);
    const Status refused = unpack();
    ASSERT_FALSE(refused) << name;
    EXPECT_NE(refused.error().message.find("bad name"), std::string::npos) << refused.error().message;
  }
}

}  // namespace
}  // namespace stopover
