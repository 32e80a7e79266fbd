// The main of a program that holds the tests of several files (STOPOVER_UNITY). Called by its own name, ROOM_tests, it
// runs all of them; by a link's name, ROOM_x_test, those of x_test.cc. A --gtest_filter narrows that further.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace {

// "x_test" for a program ledger_tests called as .../ledger_x_test; empty for its own name.
std::string wanted_file(const std::filesystem::path& called, const std::filesystem::path& program) {
  std::string room = program.filename().string();
  room.resize(room.rfind('_') + 1);
  const std::string name = called.filename().string();
  return name == program.filename() || name.rfind(room, 0) != 0 ? "" : name.substr(room.size());
}

// Takes the tests of all other files out of the filter; how many are of this file.
int keep_only(const std::string& file) {
  std::string others;
  int kept = 0;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (std::filesystem::path(test.file()).stem() == file) {
        ++kept;
      } else {
        others += std::string(others.empty() ? "" : ":") + suite.name() + "." + test.name();
      }
    }
  }
  std::string& filter = testing::GTEST_FLAG(filter);
  filter += (filter.find('-') == std::string::npos ? "-" : ":") + others;
  return kept;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path called = argv[0];
  testing::InitGoogleTest(&argc, argv);
  const std::string file = wanted_file(called, std::filesystem::read_symlink("/proc/self/exe"));
  if (!file.empty() && keep_only(file) == 0) {
    std::fprintf(stderr, "%s: no test of %s.cc is in this program\n", called.c_str(), file.c_str());
    return 1;
  }
  return RUN_ALL_TESTS();
}
