#include "base/field_words.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

constexpr const char* kMessage =
    "`unit user` needs `max_trips_per_user`\n  As in `max_trips_per_user 4`, with `user COLUMN`.";

TEST(FieldWords, EveryFaceHasItsOwn) {
  EXPECT_EQ(in_words_of(Face::command_line, kMessage),
            "--unit user needs --max-trips-per-user\n  As in --max-trips-per-user 4, with --user COLUMN.");
  EXPECT_EQ(in_words_of(Face::python, kMessage),
            "unit=\"user\" needs max_trips_per_user=\n  As in max_trips_per_user=4, with user=COLUMN.");
  EXPECT_EQ(
      in_words_of(Face::json, kMessage),
      "\"unit\": \"user\" needs \"max_trips_per_user\"\n  As in \"max_trips_per_user\": 4, with \"user\": COLUMN.");
}

TEST(FieldWords, ListsAreTypedAnItemAtATime) {
  EXPECT_EQ(in_words_of(Face::command_line, "`points LAT,LNG` once for each"), "--point LAT,LNG once for each");
  EXPECT_EQ(in_words_of(Face::python, "leave that `witnesses` out"), "leave that witnesses= out");
  EXPECT_EQ(in_words_of(Face::python, "`output` is needed"), "to= is needed");
}

TEST(FieldWords, OtherTextIsLeftAsItIs) {
  for (const char* text :
       {"", "no field at all", "a single ` mark", "`stopover mechanisms` lists", "`NAME.odr`", "`\n`"}) {
    EXPECT_EQ(in_words_of(Face::json, text), text) << text;
    EXPECT_EQ(named_field(text), "") << text;
  }
}

TEST(FieldWords, TheWrongFieldIsTheFirstOfTheFirstLine) {
  EXPECT_EQ(named_field(kMessage), "unit");
  EXPECT_EQ(named_field("the ledger is locked\n  Wait with `wait 60`."), "");
}

}  // namespace
}  // namespace stopover
