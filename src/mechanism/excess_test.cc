#include "mechanism/excess.h"

#include <gtest/gtest.h>

#include <vector>

namespace stopover::excess {
namespace {

TEST(Excess, MoreSiblingsAskForMore) {
  // ln 20 + 8 is just below 11.
  EXPECT_TRUE(stands_out(110, 0.1, 20, kOfLeaves));
  EXPECT_FALSE(stands_out(110, 0.1, 21, kOfLeaves));
  EXPECT_FALSE(stands_out(-1000, 1, 1, kOfLeaves));
  // Of parts, less is asked.
  EXPECT_TRUE(stands_out(110, 0.1, 21, kOfParts));
}

TEST(Excess, PartsFollowWhatTheCoarseCountCanTell) {
  for (const Rules& rules : {kOfLeaves, kOfParts, kOfLeavesOfManyMaps, kOfPartsOfManyMaps}) {
    EXPECT_LT(parts_wanted(-5, rules), 2);
    EXPECT_LT(parts_wanted(rules.least - 0.1, rules), 2);
    double before = 0;
    for (double a = rules.least; a < 200; a += 0.5) {
      const double parts = parts_wanted(a, rules);
      EXPECT_GE(parts, before) << a;
      EXPECT_LE(parts, rules.most_parts);
      before = parts;
      // With the coarse count bought, an excess that lies in one part stands out of as many siblings, without noise.
      const auto whole = static_cast<std::size_t>(parts);
      if (whole < 4) continue;
      EXPECT_TRUE(stands_out(a, coarse_share(a, whole), static_cast<double>(whole), kOfParts)) << a;
    }
    EXPECT_EQ(parts_wanted(1e9, rules), rules.most_parts);
  }
}

// Three maps: twice as many parts, but only where there is enough to tell them apart.
TEST(Excess, ManyMapsAreDividedFiner) {
  EXPECT_EQ(&rules_of(2, true), &kOfParts);
  EXPECT_EQ(&rules_of(3, false), &kOfLeavesOfManyMaps);
  EXPECT_EQ(parts_wanted(60, rules_of(3, true)), 2 * parts_wanted(60, rules_of(2, true)));
  EXPECT_LT(parts_wanted(16, rules_of(3, true)), parts_wanted(16, rules_of(2, true)));
  EXPECT_LT(leaf_shares(3).leaf, leaf_shares(2).leaf);
}

TEST(Excess, CoarseCountsLeaveMostForWhatFollows) {
  EXPECT_DOUBLE_EQ(coarse_share(7, 2), 0.35);
  EXPECT_DOUBLE_EQ(coarse_share(1e6, 64), 0.1);
  // (1.5 ln 64 + 2)/50 = 0.165, in steps of a fiftieth.
  EXPECT_DOUBLE_EQ(coarse_share(50, 64), 0.16);
}

TEST(Excess, MapsThatPlaceItAreBelieved) {
  const std::vector<double> sure = {0.97, 0.01, 0.01, 0.01}, open = {0.25, 0.25, 0.25, 0.25};
  EXPECT_TRUE(is_placed(30, sure, kOfLeaves));
  EXPECT_FALSE(is_placed(30, open, kOfLeaves));
  EXPECT_TRUE(is_placed(11, open, kOfLeaves));
  EXPECT_FALSE(is_placed(11, open, kOfParts));
}

}  // namespace
}  // namespace stopover::excess
