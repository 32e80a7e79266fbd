#include "release/randomness.h"

#include <gtest/gtest.h>

#include "release/release.h"

namespace stopover {
namespace {

TEST(Randomness, GoesBothWays) {
  for (const Randomness& randomness :
       {Randomness(), Randomness::system(), Randomness::repeatable("a"), Randomness::repeatable(""),
        Randomness::repeatable("system"), Randomness::repeatable("a:b\nc")}) {
    const Result<Randomness> same = Randomness::parse(randomness.text());
    ASSERT_TRUE(same) << randomness.text();
    EXPECT_EQ(*same, randomness);
  }
  for (const char* text : {"", "System", "system ", "repeatable", "fresh", "repeatable a"}) {
    const Result<Randomness> read = Randomness::parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().failure, Failure::usage);
  }
}

TEST(Randomness, OnlyTheSystemsIsPrivate) {
  EXPECT_TRUE(Randomness::system().is_private());
  EXPECT_EQ(Randomness::system().warning(), "");
  for (const Randomness& randomness : {Randomness(), Randomness::repeatable("a"), Randomness::repeatable("system")}) {
    EXPECT_FALSE(randomness.is_private());
    EXPECT_NE(randomness.warning().find("protect"), std::string::npos);
  }
  EXPECT_FALSE(Release().is_private()) << "nothing is private before somebody says so";
}

TEST(Randomness, OfFormat1StoodInAParameter) {
  EXPECT_EQ(randomness_of_format_1({}), Randomness::system());
  EXPECT_EQ(randomness_of_format_1({{"height", "3"}, {"test_key", "b"}}), Randomness::repeatable("b"));
  EXPECT_EQ(randomness_of_format_1({{"test_key", ""}}), Randomness::repeatable(""));
}

}  // namespace
}  // namespace stopover
