#include "query/batch.h"

#include <gtest/gtest.h>

#include <vector>

#include "query/answerer.h"
#include "query/synthetic_release.h"

namespace stopover {
namespace {

using Header = std::vector<std::string>;
using Fields = std::vector<std::string_view>;

const Domain& domain() {
  static const Domain d = *Domain::of_shape({32, 16, 8});
  return d;
}

TEST(BatchTest, ColumnsInAnyOrder) {
  const Result<BatchColumns> columns = BatchColumns::of_header(domain(), Header{"a2_hi", "a0_lo", "a0_hi", "a2_lo"});
  ASSERT_TRUE(columns) << columns.error().message;
  const Result<BoxQuery> box = columns->box(domain(), Fields{"8", "3", "12.0", "1"}, 1);
  ASSERT_TRUE(box) << box.error().message;
  EXPECT_EQ(*box, *parse_box(domain(), "a0=3:12,a2=1:8"));
}

TEST(BatchTest, WrongHeadersNameTheColumn) {
  const auto error = [](Header header) {
    const Result<BatchColumns> columns = BatchColumns::of_header(domain(), header);
    EXPECT_FALSE(columns);
    EXPECT_EQ(columns.error().failure, Failure::bad_input);
    return columns.error().message;
  };
  EXPECT_NE(error({"a0_lo", "a0_hi", "name"}).find("\"name\""), std::string::npos);
  EXPECT_NE(error({"a0_lo"}).find("\"a0_hi\" is missing"), std::string::npos);
  EXPECT_NE(error({"a1_hi"}).find("\"a1_lo\" is missing"), std::string::npos);
  EXPECT_NE(error({"a0_lo", "a0_hi", "a0_lo"}).find("twice"), std::string::npos);
  EXPECT_NE(error({"a9_lo", "a9_hi"}).find("no axis \"a9\""), std::string::npos);
  EXPECT_NE(error({"a9_lo", "a9_hi"}).find("Did you mean a0?"), std::string::npos);
  EXPECT_NE(error({}).find("no columns"), std::string::npos);
  EXPECT_NE(error({"a0_LO", "a0_hi"}).find("\"a0_LO\""), std::string::npos);
}

TEST(BatchTest, WrongRowsNameTheRow) {
  const Result<BatchColumns> columns = BatchColumns::of_header(domain(), Header{"a0_lo", "a0_hi"});
  ASSERT_TRUE(columns);
  const auto error = [&](Fields fields) {
    const Result<BoxQuery> box = columns->box(domain(), fields, 7);
    EXPECT_FALSE(box);
    EXPECT_EQ(box.error().failure, Failure::bad_input);
    EXPECT_NE(box.error().message.find("batch row 7"), std::string::npos);
    return box.error().message;
  };
  EXPECT_NE(error({"1"}).find("1 fields, the header has 2"), std::string::npos);
  EXPECT_NE(error({"1", ""}).find("a0 must be whole"), std::string::npos);
  EXPECT_NE(error({"4", "2"}).find("reversed: 4 to 2"), std::string::npos);
  EXPECT_NE(error({"0", "33"}).find("32 cells"), std::string::npos);
  EXPECT_NE(error({"0", "2.5"}).find("\"2.5\""), std::string::npos);
}

TEST(BatchTest, AnswersAreThoseOfOneByOne) {
  const Release release = synthetic::daf_like({64, 64, 64}, {6, 5, 4}, 300'000'000);
  const Result<BoxIndex> index = BoxIndex::make(release);
  synthetic::Random random(3);
  std::vector<BoxQuery> boxes;
  for (int i = 0; i < 200; ++i) boxes.push_back(synthetic::some_box(release.domain, random, i % 2 == 0));
  std::vector<Answer> answers(boxes.size());
  const AnswerOptions options{.estimates = Estimates::consistent, .level = 0.9};
  answer_all(*index, boxes, options, answers);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Answer one = answer(*index, boxes[i], options);
    EXPECT_EQ(answers[i].estimate, one.estimate);
    EXPECT_EQ(answers[i].noise_lower, one.noise_lower);
    EXPECT_EQ(answers[i].noise_upper, one.noise_upper);
    EXPECT_EQ(answers[i].partitions_cut, one.partitions_cut);
    EXPECT_EQ(answers[i].level, 0.9);
  }
}

TEST(BatchTest, OptionsAreChecked) {
  for (const double level : {0.95, kLeastLevel, kMostLevel}) EXPECT_TRUE(check_level(level)) << level;
  for (const double level : {0.0, 1.0, -0.5, 95.0, 0.0 / 0.0, 1e-300, 1 - 1e-15})
    EXPECT_FALSE(check_level(level)) << level;
  EXPECT_EQ(*parse_estimates("plain"), Estimates::plain);
  EXPECT_EQ(*parse_estimates(to_string(Estimates::consistent)), Estimates::consistent);
  EXPECT_NE(parse_estimates("best").error().message.find("\"best\""), std::string::npos);
}

}  // namespace
}  // namespace stopover
