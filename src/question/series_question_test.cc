#include "question/series_question.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "query/pair_answer.h"
#include "question/series_changes.h"
#include "question/series_json.h"
#include "question/series_notes.h"
#include "testing/city_release.h"

namespace stopover {
namespace {

const Period kJanuary = *parse_period("2019-01");

// January, February and April; there is no March.
class Months : public testing::Test {
 protected:
  Months() {
    for (const std::size_t trips : {10'000, 20'000, 40'000}) {
      engines_.push_back(*QueryEngine::make(sample::city_release(2, trips, 64, "anchor")));
    }
    for (std::size_t i = 0; i < 3; ++i) {
      series_.push_back({kJanuary.plus(i == 2 ? 3 : static_cast<int>(i)), &engines_[i]});
    }
  }

  Result<SeriesReply> asked(OverTime over, Question question = {}, std::optional<PeriodRange> period = {}) {
    question.box = "a0=8:40,a2=5:50";
    return ask_series(series_, {question, over, period, {}});
  }
  Answer count(std::size_t i) {
    Question question;
    question.box = "a0=8:40,a2=5:50";
    return *stopover::count(engines_[i], question);
  }

  std::vector<QueryEngine> engines_;
  std::vector<SeriesEngine> series_;
};

TEST_F(Months, EachIsWhatItsReleaseSays) {
  const Result<SeriesReply> reply = asked(OverTime::each);
  ASSERT_TRUE(reply) << reply.error().message;
  const auto& each = std::get<EachReply>(reply->of);
  ASSERT_EQ(each.periods.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Answer& a = std::get<CountReply>(each.periods[i].reply.of).answer;
    EXPECT_EQ(a.estimate, count(i).estimate);
    EXPECT_EQ(a.lower, count(i).lower);
    EXPECT_EQ(a.upper, count(i).upper);
  }
  EXPECT_NE(std::find(reply->notes.begin(), reply->notes.end(), "there is no release of 2019-03"), reply->notes.end());
}

TEST_F(Months, TogetherIsOfAllPeriods) {
  Question together;
  together.together = true;
  const Result<SeriesReply> reply = asked(OverTime::each, together);
  ASSERT_TRUE(reply);
  Question one;
  one.box = "a0=8:40,a2=5:50";
  one.level = 1 - 0.05 / 3;
  const Answer wide = *stopover::count(engines_[0], one);
  const Answer& a = std::get<CountReply>(std::get<EachReply>(reply->of).periods[0].reply.of).answer;
  EXPECT_DOUBLE_EQ(a.lower, wide.lower);
  EXPECT_DOUBLE_EQ(a.upper, wide.upper);
  EXPECT_LT(count(0).upper, a.upper);
}

TEST_F(Months, ATrendOfTwoIsTheirDifferenceByTime) {
  const Result<SeriesReply> reply =
      asked(OverTime::trend, {}, PeriodRange{kJanuary.plus(1), kJanuary.plus(3)});  // two months apart
  ASSERT_TRUE(reply) << reply.error().message;
  const auto& trend = std::get<TrendReply>(reply->of);
  const Result<SeriesReply> change = asked(OverTime::change, {}, PeriodRange{kJanuary.plus(1), kJanuary.plus(3)});
  ASSERT_TRUE(change);
  const Answer& d = std::get<CompareReply>(std::get<ChangeReply>(change->of).steps[0].reply.of).difference;
  EXPECT_NEAR(trend.slope.estimate, d.estimate / 2, 1e-9 * d.estimate);
  EXPECT_NEAR(trend.slope.lower, d.lower / 2, 1e-9 * d.estimate);
  EXPECT_NEAR(trend.slope.upper, d.upper / 2, 1e-9 * d.estimate);
  EXPECT_NEAR(trend.periods[0].fitted, count(1).estimate, 1e-6);
}

TEST_F(Months, ATrendGoesThroughWeightedLeastSquares) {
  const Result<SeriesReply> reply = asked(OverTime::trend);
  ASSERT_TRUE(reply);
  const auto& trend = std::get<TrendReply>(reply->of);
  // What is left over has no slope and no mean, by the weights.
  const double x[] = {0, 1, 3};
  double left = 0, turned = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double width = count(i).upper - count(i).lower, w = 1 / (1 + width * width);
    left += w * (count(i).estimate - trend.periods[i].fitted);
    turned += w * x[i] * (count(i).estimate - trend.periods[i].fitted);
  }
  EXPECT_NEAR(left, 0, 1e-9);
  EXPECT_NEAR(turned, 0, 1e-9);
  EXPECT_NEAR(trend.periods[1].fitted - trend.periods[0].fitted, trend.slope.estimate, 1e-9 * trend.mean);
}

TEST_F(Months, ASumIsOfAll) {
  const Result<SeriesReply> reply = asked(OverTime::sum);
  ASSERT_TRUE(reply);
  const auto& sum = std::get<SumReply>(reply->of);
  EXPECT_NEAR(sum.sum.estimate, count(0).estimate + count(1).estimate + count(2).estimate, 1e-6);
  EXPECT_LE(sum.sum.lower, sum.sum.estimate);
  EXPECT_GE(sum.sum.upper, sum.sum.estimate);
}

TEST(LeaningMonths, WhatWasNotMeasuredIsTold) {
  Release release = sample::city_release(2, 10'000, 64, "anchor");
  release.params.emplace_back("history", "2018-12:" + std::string(64, '0'));
  const QueryEngine engine = *QueryEngine::make(std::move(release));
  std::vector<SeriesEngine> months;
  for (int i = 0; i < 13; ++i) months.push_back({kJanuary.plus(i), &engine});
  Question question;
  question.box = "a0=8:40,a2=5:50";
  const auto told = [&](std::size_t periods, OverTime over, const std::string& note) {
    const Result<SeriesReply> reply = ask_series(std::span(months).first(periods), {question, over, {}, {}});
    EXPECT_TRUE(reply);
    return std::find(reply->notes.begin(), reply->notes.end(), note) != reply->notes.end();
  };
  const std::string of = " of releases that lean on each other are claimed for up to 12 months, and these are 13";
  EXPECT_TRUE(told(13, OverTime::sum, "sums" + of));
  EXPECT_TRUE(told(13, OverTime::trend, "trends" + of));
  EXPECT_FALSE(told(12, OverTime::sum, "sums" + of));
  const std::string open = "sums of releases that lean on each other are not claimed where a stop is left open";
  EXPECT_FALSE(told(12, OverTime::sum, open));
  question.box = "a0=8:40";
  EXPECT_TRUE(told(12, OverTime::sum, open));
}

TEST(ChangedMoreSurely, ComesFirst) {
  const auto change = [](double estimate, double lower, double upper) {
    Answer d;
    d.estimate = estimate;
    d.lower = lower;
    d.upper = upper;
    return d;
  };
  const Answer sure = change(50, 40, 60), large = change(100, 1, 199), fewer = change(-80, -90, -45);
  const Answer maybe = change(90, -10, 190), hardly = change(-5, -30, 20);
  // The larger estimate, but less of it is sure.
  EXPECT_TRUE(changed_more_surely(sure, large));
  EXPECT_FALSE(changed_more_surely(large, sure));
  // Fewer trips are a change, too.
  EXPECT_TRUE(changed_more_surely(fewer, sure));
  // What is sure before what may be nothing, however large; of those the larger.
  EXPECT_TRUE(changed_more_surely(large, maybe));
  EXPECT_TRUE(changed_more_surely(maybe, hardly));
  EXPECT_FALSE(changed_more_surely(hardly, maybe));
}

TEST_F(Months, ChangesHoldForAllThatWereLookedAt) {
  Question top;
  top.ask = Ask::top;
  top.tiles = 4;
  top.top = 60;
  const Result<SeriesReply> reply = ask_series(series_, {top, OverTime::changes, {}, {}});
  ASSERT_TRUE(reply) << reply.error().message;
  const auto& changes = std::get<ChangesReply>(reply->of);
  EXPECT_EQ(changes.among, 2u * 256u);
  ASSERT_EQ(changes.rows.size(), 60u);
  double before = HUGE_VAL;
  for (const ChangesReply::Row& row : changes.rows) {
    const Answer& d = *row.row.difference;
    EXPECT_EQ(row.sure, d.lower > 0 || d.upper < 0);
    const double sure = std::max({0.0, d.lower, -d.upper});
    EXPECT_LE(sure, before) << "what is sure comes first";
    before = sure;
    // The same of the two releases alone, at the level of one among 512.
    Question one;
    one.level = 1 - 0.05 / 512;
    for (const auto& [stop, region] : row.row.where) one.where.push_back({stop, region});
    const std::size_t at = row.period == kJanuary.plus(1) ? 1 : 2;
    const Answer a = *stopover::count(engines_[at - 1], one), b = *stopover::count(engines_[at], one);
    EXPECT_DOUBLE_EQ(row.row.answer.lower, a.lower);
    EXPECT_DOUBLE_EQ(row.row.second->upper, b.upper);
    AnswerOptions all;
    all.together = 512;
    const Answer expected = quick_difference(*row.row.second, row.row.answer, all);
    EXPECT_EQ(d.noise_upper, expected.noise_upper);
    EXPECT_EQ(d.bounds_lower, expected.bounds_lower);
  }
}

// The same numbers of cells are other places on another grid; places in degrees are the same.
TEST(MonthsOfOtherGrids, AreNotAskedInCells) {
  const QueryEngine fine = *QueryEngine::make(sample::city_release(2, 5'000, 64, "anchor"));
  const QueryEngine coarse = *QueryEngine::make(sample::city_release(2, 5'000, 32, "anchor"));
  const std::vector<SeriesEngine> series = {{kJanuary, &fine}, {kJanuary.plus(1), &coarse}};
  const std::string stop = fine.domain().stops()[0].name;
  Question by_axis, by_box, by_cell, without;
  by_axis.box = "a0=8:16";
  by_box.where = {{stop, RegionTree::leaf("box", RegionRows{{0, 16}, {0, 16}})}};
  by_cell.where = {{stop, RegionTree::leaf("cells", RegionRows{{1, 1}})}};
  without.no_stop = {RegionTree::leaf("box", RegionRows{{0, 16}, {0, 16}})};
  for (const Question& question : {by_axis, by_box, by_cell, without}) {
    const Result<SeriesReply> each = ask_series(series, {question, OverTime::each, {}, {}});
    ASSERT_FALSE(each);
    EXPECT_EQ(each.error().failure, Failure::usage);
    EXPECT_NE(each.error().message.find("2019-02 has another box, grid or stops"), std::string::npos)
        << each.error().message;
    EXPECT_NE(each.error().message.find("Ask in degrees"), std::string::npos);
    EXPECT_FALSE(ask(fine, question, &coarse)) << "compared";
    EXPECT_TRUE(ask(fine, question, &fine));
    EXPECT_TRUE(ask_series(series, {question, OverTime::each, PeriodRange{kJanuary, kJanuary}, {}}));
  }
  const Result<SeriesReply> all = ask_series(series, {{}, OverTime::each, {}, {}});
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_TRUE(std::any_of(all->notes.begin(), all->notes.end(), [](const std::string& note) {
    return note.find("the same places are asked") != std::string::npos;
  }));
}

TEST_F(Months, Refusals) {
  const auto says = [&](const SeriesQuestion& q, const std::string& text) {
    const Result<SeriesReply> reply = ask_series(series_, q);
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().failure, Failure::usage);
    EXPECT_NE(reply.error().message.find(text), std::string::npos) << reply.error().message;
  };
  const PeriodRange january{kJanuary, kJanuary};
  says({{}, OverTime::each, PeriodRange{kJanuary.plus(2), kJanuary.plus(2)}, {}}, "the series has no 2019-03");
  says({{}, OverTime::trend, january, {}}, "needs two periods");
  says({{}, OverTime::trend, january, kJanuary.plus(1)}, "`against` goes with a change");
  says({{}, OverTime::change, january, kJanuary}, "not compared with itself");
  says({{}, OverTime::change, {}, kJanuary}, "needs one period");
  Question totals;
  totals.ask = Ask::totals;
  says({totals, OverTime::sum, {}, {}}, "is of counts");
  says({totals, OverTime::changes, {}, {}}, "Ask for top");
}

TEST(SeriesNotes, ThoseOfSomePeriodsSayOfWhich) {
  SeriesNotes notes;
  notes.add(kJanuary, {"clipped", "far"});
  notes.add(kJanuary.plus(1), {"clipped"});
  notes.add_for_all("noise");
  EXPECT_EQ(notes.all(), (std::vector<std::string>{"clipped", "in 2019-01: far", "noise"}));
  SeriesNotes steps;
  steps.add_step(kJanuary, kJanuary.plus(1), {"clipped", "in the second release, clipped"});
  EXPECT_EQ(steps.all(), std::vector<std::string>{"clipped"});
}

TEST(SeriesJson, AQuestionHasThreeMembersMore) {
  const Result<SeriesQuestion> q = series_question_of_json(
      R"({"series": "changes", "period": "2019-03", "against": "2019-01", "top": 4, "where": {"origin": null}})");
  ASSERT_TRUE(q) << q.error().message;
  EXPECT_EQ(q->over, OverTime::changes);
  EXPECT_EQ(q->period->name(), "2019-03");
  EXPECT_EQ(q->against->name(), "2019-01");
  EXPECT_EQ(q->question.top, 4u);
  EXPECT_EQ(series_question_of_json(R"({"period": "2019-03", "against": "2019-01"})")->over, OverTime::change);
  EXPECT_EQ(series_question_of_json("{}")->over, OverTime::each);
  EXPECT_EQ(series_question_of_json(R"({"period": "2019-03..2019-03"})")->period->name(), "2019-03");
  for (const char* bad : {R"({"series": "sums"})", R"({"series": 1})", R"({"period": "2019-13"})",
                          R"({"series": "sum", "top": 5})", R"({"series": "trend", "top": 5})", R"({"against": "x"})",
                          R"({"period": 2019})", R"({"serie": "sum"})", "[]", "{"}) {
    EXPECT_FALSE(series_question_of_json(bad)) << bad;
  }
}

}  // namespace
}  // namespace stopover
