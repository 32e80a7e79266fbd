#include "base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace stopover {
namespace {

TEST(Nearest, DistancesCountLetters) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("sitting", "kitten"), 3u);
  EXPECT_EQ(edit_distance("Origin", "oRIGIN"), 0u);
  EXPECT_EQ(edit_distance("ab", "ba"), 2u);
}

TEST(Nearest, AtMostThreeThatAreAboutAsNear) {
  const std::vector<std::string> names = {"origin", "destination", "via1", "via2", "via3", "via4"};
  EXPECT_EQ(did_you_mean("orgin", names), " Did you mean origin?");
  EXPECT_EQ(did_you_mean("via", names), " Did you mean via1 or via2 or via3?");
  EXPECT_EQ(did_you_mean("via", names, 1), " Did you mean via1?");
  EXPECT_EQ(did_you_mean("xyz", names), "");
  EXPECT_EQ(did_you_mean(std::string(100, 'o'), names), "");
}

TEST(Nearest, ABeginningIsEnough) {
  const std::vector<std::string> names = {"--epsilon", "--max-trips-per-user", "--max-trips-per-user-and-day", "--bbox"};
  EXPECT_EQ(nearest("--eps", names), "--epsilon");
  EXPECT_EQ(nearest("--max-trips", names), "--max-trips-per-user");
  EXPECT_EQ(nearest("--bbx", names), "--bbox");
  EXPECT_EQ(nearest("--ep", names), "");
  EXPECT_EQ(nearest("--", names), "");
  EXPECT_EQ(nearest("", names), "");
}

TEST(Nearest, LongListsAreCut) {
  EXPECT_EQ(list_names(std::vector<std::string>{"a", "b"}), "a, b");
  EXPECT_EQ(list_names(std::vector<std::string>(300, "x")), "x, x, x, x, x, x, x, x, x, x, x, x, ... (300 in all)");
}

}  // namespace
}  // namespace stopover
