#include "exports/sumo_matrix.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

TEST(SumoMatrixTest, OFormat) {
  SumoMatrix matrix(SumoMatrix::Form::o_format, {"west side", "east"}, {7 * 3600, 9 * 3600 + 1800}, "abc");
  matrix.add(0, 1, 12.5, 10, 15);
  matrix.add(1, 0, 0, 0, 3);
  EXPECT_EQ(matrix.pairs(), 1);
  EXPECT_EQ(std::move(matrix).finish(),
            "$OR;D2\n* From-Time  To-Time\n7.00 9.30\n* Factor\n1.00\n* trips of release abc\nwest_side east 12.5\n");
}

TEST(SumoMatrixTest, Intervals) {
  SumoMatrix matrix(SumoMatrix::Form::intervals, {"a", "b"}, {}, "abc");
  matrix.add(0, 1, 12.5, 10, 15);
  const std::string text = std::move(matrix).finish();
  EXPECT_NE(text.find("<interval id=\"trips\" begin=\"0\" end=\"86400\">"), std::string::npos);
  EXPECT_NE(text.find("<tazRelation from=\"a\" to=\"b\" count=\"12.5\" lower=\"10\" upper=\"15\"/>"),
            std::string::npos);
}

TEST(SumoMatrixTest, IdsAreDifferentWordsWithoutMarks) {
  EXPECT_EQ(SumoMatrix::ids_of({"a b", "a_b", "x<&>", "", "\t"}),
            (std::vector<std::string>{"a_b", "a_b_2", "x___", "_", "__2"}));
}

}  // namespace
}  // namespace stopover
