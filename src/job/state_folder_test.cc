// Where the ledger's memory is, and what lies beside a ledger that is about to be made.
#include "job/state_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "job/releases_beside.h"
#include "ledger/file_system.h"

namespace stopover {
namespace {

// Both variables for the length of a test; null: not set.
std::string folder_with(const char* state, const char* home, const std::string& named = "") {
  state == nullptr ? ::unsetenv("XDG_STATE_HOME") : ::setenv("XDG_STATE_HOME", state, 1);
  home == nullptr ? ::unsetenv("HOME") : ::setenv("HOME", home, 1);
  const Result<std::string> folder = state_folder(named);
  if (folder) return *folder;
  EXPECT_EQ(folder.error().failure, Failure::privacy);
  EXPECT_NE(folder.error().message.find("`state none`"), std::string::npos);
  return "refused";
}

TEST(StateFolder, IsNamedOrWaivedOrRefused) {
  EXPECT_EQ(folder_with("/s", "/h"), "/s/stopover");
  EXPECT_EQ(folder_with(nullptr, "/h"), "/h/.local/state/stopover");
  EXPECT_EQ(folder_with("relative", "/h"), "/h/.local/state/stopover");
  EXPECT_EQ(folder_with(nullptr, nullptr), "refused");
  EXPECT_EQ(folder_with("", ""), "refused");
  EXPECT_EQ(folder_with("relative", nullptr), "refused");
  EXPECT_EQ(folder_with(nullptr, "relative"), "refused");
  EXPECT_EQ(folder_with(nullptr, nullptr, "here/memory"), "here/memory");
  EXPECT_EQ(folder_with("/s", "/h", "/var/lib/stopover"), "/var/lib/stopover");
  EXPECT_EQ(folder_with(nullptr, nullptr, "none"), "");
  EXPECT_EQ(folder_with("/s", "/h", "none"), "");
}

TEST(ReleasesBeside, AreToldWhateverLiesAround) {
  const std::unique_ptr<FileSystem> files = posix_file_system();
  const std::string root = testing::TempDir() + "stopover-beside-" + files->fresh_id();
  const std::string id(32, 'a'), head = id + ":2:" + std::string(64, 'b');
  const auto put = [&](const std::string& folder, const std::string& text) {
    ASSERT_TRUE(files->make_directory(root + "/" + folder));
    ASSERT_TRUE(files->write_file(root + "/" + folder + "/release.json", text));
  };
  put("out/no.odr", "{\"ledger_head\": \"none\"}");
  put("out/cut.odr", "{\"ledger_head\": \"" + id);
  put("out/key.odr", "{\"ledger_head\"");
  put("out/other.txt", "{\"ledger_head\": \"" + head + "\"}");
  ASSERT_TRUE(files->make_directory(root + "/out/empty.odr"));
  ASSERT_TRUE(files->write_file(root + "/out/file.odr", head));
  EXPECT_EQ(releases_beside(root + "/out/x.odr", root + "/out/x.ledger"), "");
  EXPECT_EQ(releases_beside(root + "/nowhere/x.odr", root + "/none/x.ledger"), "");
  put("out/a.odr", "{\"ledger_head\": \"" + head + "\"}");
  put("books/b.odr", "{\"ledger_head\":\"" + head + "\"}");
  for (const auto& [output, ledger, words] :
       {std::tuple{"/out/x.odr", "/none/x.ledger", "a.odr was paid from another one, " + id},
        std::tuple{"/none/x.odr", "/books/x.ledger", "b.odr was paid from another one, " + id},
        std::tuple{"/out/x.odr", "/books/x.ledger", std::string("b.odr and 1 more beside it were paid")}}) {
    const std::string told = releases_beside(root + output, root + ledger);
    EXPECT_NE(told.find(words), std::string::npos) << told;
  }
  EXPECT_TRUE(files->remove_tree(root));
}

}  // namespace
}  // namespace stopover
