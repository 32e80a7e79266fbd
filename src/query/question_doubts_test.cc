#include "query/question_doubts.h"

#include <gtest/gtest.h>

#include "release/sample_release.h"

namespace stopover {
namespace {

// Two stops of 8 x 8 cells, one leaf, even maps.
Release two_stops() {
  std::vector<Axis> axes;
  for (const char* name : {"ax", "ay", "bx", "by"}) axes.push_back({name, 8, AxisKind::number, 0, 8, {}});
  Release release = sample::over(*Domain::make(axes, {{"a", {0, 1}}, {"b", {2, 3}}}), kTicksPerEpsilon);
  release.answer_model = AnswerModel::maps;
  const auto add = [&](const char* name, std::vector<std::size_t> of) {
    Table table = sample::table(name, std::move(of), kTicksPerEpsilon / 4);
    std::vector<Interval> sides(table.axes.size(), Interval{0, 8});
    table.append(Box(sides), -1, 100, kTicksPerEpsilon / 4, 0);
    release.tables.push_back(std::move(table));
  };
  add("joint", {0, 1, 2, 3});
  add("stop1", {0, 1});
  add("stop2", {2, 3});
  sample::settle(release);
  return release;
}

TEST(QuestionDoubts, ShapesAreOfTheStopsThatAreAskedFor) {
  const Result<BoxIndex> index = BoxIndex::make(two_stops());
  ASSERT_TRUE(index);
  const auto shape = [&](std::initializer_list<Interval> sides) {
    return doubts_of(*index, BoxQuery::of(sample::box(sides))).shape;
  };
  const QuestionShape both = shape({{0, 4}, {0, 8}, {1, 2}, {0, 1}});
  EXPECT_EQ(both.free_stops, 0u);
  EXPECT_DOUBLE_EQ(both.least_share, 1.0 / 64);
  EXPECT_DOUBLE_EQ(both.most_share, 0.5);
  const QuestionShape one = shape({{0, 8}, {0, 8}, {0, 2}, {0, 2}});
  EXPECT_EQ(one.free_stops, 1u);
  EXPECT_DOUBLE_EQ(one.most_share, 1.0 / 16);
}

}  // namespace
}  // namespace stopover
