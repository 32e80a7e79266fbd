// Rows by their time: what lies in different spans is never put together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/period.h"
#include "duck/duck.h"
#include "ingest/ingest_fixture.h"
#include "ingest/lot.h"

namespace stopover {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;

class SpanTest : public IngestTest {
 protected:
  void span_of(std::vector<TimeSpan>& spans, const char* period) {
    const Period p = *parse_period(period);
    spans.push_back({p.first_day() * kDayMs, p.end_day() * kDayMs});
  }
  std::vector<Cells> spans_of(const std::string& text) {
    Result<Ingest> in = open(write("in.csv", text));
    if (!in) {
      ADD_FAILURE() << in.error().message;
      return {};
    }
    std::vector<Cells> found;
    const Result<std::vector<Matrix>> matrices = in->matrices();
    if (!matrices) ADD_FAILURE() << matrices.error().message;
    for (const Matrix& matrix : *matrices) found.push_back(cells_of(matrix));
    const Result<PrivateFacts> facts = in->row_facts();
    if (!facts) ADD_FAILURE() << facts.error().message;
    facts_ = {facts->begin(), facts->end()};
    return found;
  }
  std::map<std::string, std::uint64_t> facts_;
};

constexpr const char* kTimed = "uid,tid,datetime,lat,lng\n";

TEST_F(SpanTest, RowsAreCutAtTheBordersBeforeTripsAreMade) {
  span_of(request_.spans, "2019-01");
  span_of(request_.spans, "2019-02");
  // Three stops before the border and two after it: a trip of each, and none over it.
  const std::string text = std::string(kTimed) +
                           "u,1,2019-01-31T23:00:00Z,1.5,1.5\nu,1,2019-01-31T23:30:00Z,2.5,2.5\n"
                           "u,1,2019-01-31T23:59:59Z,3.5,3.5\nu,1,2019-02-01T00:00:00Z,4.5,4.5\n"
                           "u,1,2019-02-01T00:10:00Z,5.5,5.5\n";
  EXPECT_THAT(spans_of(text), testing::ElementsAre(Cells{{{1, 1, 3, 3}, 1}}, Cells{{{4, 4, 5, 5}, 1}}));
  request_.spans.pop_back();
  EXPECT_THAT(spans_of(text), testing::ElementsAre(Cells{{{1, 1, 3, 3}, 1}}));
  EXPECT_EQ(facts_["outside_the_periods"], 2U);
  EXPECT_EQ(facts_["late"], 0U);
}

TEST_F(SpanTest, BordersLieInTheDeclaredZone) {
  request_.timezone = "America/Los_Angeles";
  span_of(request_.spans, "2019-01");
  span_of(request_.spans, "2019-02");
  const std::string text = std::string(kTimed) +
                           "u,1,2019-02-01T07:00:00Z,1.5,1.5\nu,1,2019-02-01T07:59:00Z,2.5,2.5\n"
                           "v,1,2019-02-01T08:00:00Z,3.5,3.5\nv,1,2019-02-01T08:01:00Z,4.5,4.5\n";
  EXPECT_THAT(spans_of(text), testing::ElementsAre(Cells{{{1, 1, 2, 2}, 1}}, Cells{{{3, 3, 4, 4}, 1}}));
}

TEST_F(SpanTest, LateRowsAreDroppedAndCounted) {
  span_of(request_.spans, "2019-02");
  span_of(request_.late, "2019-01");
  const std::string text = std::string(kTimed) +
                           "u,1,2019-01-05,1.5,1.5\nu,1,2019-01-06,2.5,2.5\nu,2,2019-02-05,3.5,3.5\n"
                           "u,2,2019-02-06,4.5,4.5\nu,3,2019-03-05,4.5,4.5\nu,3,never,4.5,4.5\n";
  EXPECT_THAT(spans_of(text), testing::ElementsAre(Cells{{{3, 3, 4, 4}, 1}}));
  EXPECT_EQ(facts_["late"], 2U);
  EXPECT_EQ(facts_["outside_the_periods"], 1U);
  EXPECT_EQ(facts_["without_time"], 1U);
}

TEST_F(SpanTest, TheBoundOfAUserIsForEachSpan) {
  span_of(request_.spans, "2019-01");
  span_of(request_.spans, "2019-02");
  request_.max_trips_per_user = 2;
  std::string text = kTimed;
  for (int month = 1; month <= 2; ++month) {
    for (int trip = 0; trip < 5; ++trip) {
      for (int minute = 0; minute < 2; ++minute)
        text += fmt::format("u,{},2019-0{}-1{}T00:0{}:00,{}.5,{}.5\n", trip, month, trip, minute, month, trip);
    }
  }
  for (const Cells& cells : spans_of(text)) {
    std::uint64_t trips = 0;
    for (const auto& [cell, count] : cells) trips += count;
    EXPECT_EQ(trips, 2U);
  }
}

TEST_F(SpanTest, DayTypesDivideASpan) {
  span_of(request_.spans, "2019-01");
  span_of(request_.spans, "2019-02");
  request_.day_types = *parse_day_types("weekday,sunday");
  request_.timezone = "America/Los_Angeles";
  // A Friday, two Saturdays, of which one is a Friday there; a Sunday; a Monday in February. A trip from Sunday to
  // Monday is cut, and each piece of it has one stop: no trip.
  const std::string text = std::string(kTimed) +
                           "a,1,2019-01-04T20:00:00Z,1.5,1.5\na,1,2019-01-05T07:00:00Z,2.5,2.5\n"
                           "b,1,2019-01-05T09:00:00Z,3.5,3.5\nb,1,2019-01-05T10:00:00Z,3.5,3.5\n"
                           "c,1,2019-01-06T20:00:00Z,4.5,4.5\nc,1,2019-01-06T21:00:00Z,5.5,5.5\n"
                           "d,1,2019-02-04T20:00:00Z,6.5,6.5\nd,1,2019-02-04T21:00:00Z,7.5,7.5\n"
                           "e,1,2019-02-04T07:00:00Z,6.5,6.5\ne,1,2019-02-04T09:00:00Z,7.5,7.5\n";
  EXPECT_THAT(spans_of(text), testing::ElementsAre(Cells{{{1, 1, 2, 2}, 1}}, Cells{{{4, 4, 5, 5}, 1}},
                                                   Cells{{{6, 6, 7, 7}, 1}}, Cells{}));
  EXPECT_EQ(facts_["outside_the_periods"], 2U);
}

// Who has k trips on weekdays has none on weekends: one unit is in both, at one price.
TEST_F(SpanTest, TheBoundOfAUserIsForAllDayTypesOfASpan) {
  span_of(request_.spans, "2019-01");
  span_of(request_.spans, "2019-02");
  request_.day_types = *parse_day_types("weekday,weekend");
  request_.max_trips_per_user = 3;
  std::string text = kTimed;
  for (int month = 1; month <= 2; ++month) {
    for (int day = 1; day <= 14; ++day) {
      for (int minute = 0; minute < 2; ++minute)
        text += fmt::format("u,{},2019-0{}-{:02}T00:0{}:00,1.5,1.5\n", day, month, day, minute);
    }
  }
  std::vector<std::uint64_t> trips;
  for (const Cells& cells : spans_of(text)) {
    trips.push_back(0);
    for (const auto& [cell, count] : cells) trips.back() += count;
  }
  ASSERT_EQ(trips.size(), 4U);
  EXPECT_EQ(trips[0] + trips[1], 3U);
  EXPECT_EQ(trips[2] + trips[3], 3U);
}

// Two pieces of a trip may be alike but for their day type: which of them is kept must not hang on the order of rows.
TEST_F(SpanTest, PiecesAlikeAreKeptByTheirDayType) {
  span_of(request_.spans, "2019-01");
  request_.day_types = *parse_day_types("weekday,weekend");
  request_.max_trips_per_user = 1;
  std::vector<std::string> rows;
  for (int user = 0; user < 60; ++user) {
    for (const char* at : {"04T23:00", "04T23:30", "05T00:10", "05T00:20"})  // Friday night
      rows.push_back(fmt::format("u{},1,2019-01-{}:00,1.5,{}.5\n", user, at, user % 7));
  }
  const auto text_of = [&] {
    std::string text = kTimed;
    for (const std::string& row : rows) text += row;
    return text;
  };
  const std::vector<Cells> forwards = spans_of(text_of());
  std::reverse(rows.begin(), rows.end());
  EXPECT_EQ(spans_of(text_of()), forwards);
  ASSERT_EQ(forwards.size(), 2U);
  // The lot decides, by the day type too.
  std::vector<Cells> kept(2);
  for (int user = 0; user < 60; ++user) {
    const std::string name = fmt::format("u{}", user), x = fmt::format("{}", user % 7);
    const auto lot = [&](std::string_view type) {
      return lot_of(std::vector<std::optional<std::string_view>>{"stopover", name, "1", type, x, "1", x, "1"});
    };
    const auto at = static_cast<std::uint32_t>(user % 7);
    ++kept[lot("0") < lot("1") ? 0 : 1][{at, 1, at, 1}];
  }
  EXPECT_EQ(forwards, kept);
}

TEST_F(SpanTest, ARowOfTripsHasATimeOfItsOwn) {
  request_.shape = RowShape::trips;
  names_.time = "began";
  span_of(request_.spans, "2019-W05");
  span_of(request_.spans, "2019-W06");
  const std::string text =
      "began,o_lat,o_lng,d_lat,d_lng\n2019-02-03T23:59:00,1.5,1.5,2.5,2.5\n2019-02-04,3.5,3.5,4.5,4.5\n"
      "2019-01-27,3.5,3.5,4.5,4.5\n,3.5,3.5,4.5,4.5\n";
  EXPECT_THAT(spans_of(text), testing::ElementsAre(Cells{{{1, 1, 2, 2}, 1}}, Cells{{{3, 3, 4, 4}, 1}}));
  names_.time.reset();
  EXPECT_THAT(refusal(path("in.csv")).message, testing::HasSubstr("`time`"));
}

TEST_F(SpanTest, PingsOfTwoSpansAreNoStay) {
  request_.shape = RowShape::pings;
  request_.model = StopModel::first;
  request_.cut_by_day = false;
  span_of(request_.spans, "2019-01-31");
  span_of(request_.spans, "2019-02-01");
  // Six minutes on either side of midnight are no stay of ten, and eleven are.
  const std::string text =
      "uid,datetime,lat,lng\nu,2019-01-31T23:54:00,1.5,1.5\nu,2019-02-01T00:06:00,1.5,1.5\n"
      "v,2019-01-31T23:49:00,2.5,2.5\nv,2019-01-31T23:59:59,2.5,2.5\nv,2019-02-01T00:06:00,2.5,2.5\n";
  EXPECT_THAT(spans_of(text), testing::ElementsAre(Cells{{{2, 2}, 1}}, Cells{}));
  request_.spans = {{request_.spans[0].since, request_.spans[1].until}};
  EXPECT_THAT(spans_of(text), testing::ElementsAre(Cells{{{1, 1}, 1}, {{2, 2}, 1}}));
}

TEST_F(SpanTest, AConditionDropsRowsOneByOne) {
  request_.shape = RowShape::trips;
  const std::string text =
      "kind,fare,o_lat,o_lng,d_lat,d_lng\nbike,1.5,1.5,1.5,1.5,1.5\ncar,1,2.5,2.5,2.5,2.5\n"
      "bike,x,3.5,3.5,3.5,3.5\nbike,,4.5,4.5,4.5,4.5\nbike,-2,5.5,5.5,5.5,5.5\n";
  request_.where = "kind = 'bike' AND CAST(fare AS DOUBLE) > 0";
  EXPECT_EQ(cells_of_text(text), (Cells{{{1, 1, 1, 1}, 1}}));
  request_.where = "upper(kind) LIKE 'B%' -- and nothing else";
  EXPECT_EQ(cells_of_text(text).size(), 4U);
  request_.where = "kind IN ('car', 'bus') OR fare = 'x'";
  EXPECT_EQ(cells_of_text(text), (Cells{{{2, 2, 2, 2}, 1}, {{3, 3, 3, 3}, 1}}));
}

TEST_F(SpanTest, AConditionMayCallWhatIsUsual) {
  request_.shape = RowShape::trips;
  const std::string text =
      "kind,fare,began,o_lat,o_lng,d_lat,d_lng\nbike,\"1,5\",2019-01-05T08:10:00,1.5,1.5,1.5,1.5\n";
  for (const char* good :
       {"CAST(replace(fare, ',', '.') AS DOUBLE) BETWEEN 1 AND 2", "CAST(replace(fare, ',', '.') AS DECIMAL(9, 2)) > 1",
        "hour(CAST(began AS TIMESTAMP)) IN (7, 8, 9)", "extract('dow' FROM CAST(began AS DATE)) = 6",
        "week(CAST(began AS TIMESTAMP)) = 1",
        "date_trunc('hour', CAST(began AS TIMESTAMP)) = TIMESTAMP '2019-01-05 08:00'",
        "epoch(TIMESTAMP '2019-01-05 08:11:00') - epoch(CAST(began AS TIMESTAMP)) = 60", "kind LIKE '!b%' ESCAPE '!'",
        "date_part('year', CAST(began AS TIMESTAMP)) = 2019", "CAST(began AS DATE) >= DATE '2019-01-01' + INTERVAL 3 DAY",
        "strftime(CAST(began AS TIMESTAMP), '%H') = '08'",
        "try_strptime(began, '%Y-%m-%dT%H:%M:%S') > TIMESTAMP '2019-01-01'",
        "kind LIKE 'b%'", "kind NOT ILIKE 'C_'", "kind LIKE 'bi%' ESCAPE '!'", "regexp_matches(kind, '^b.*e$')",
        "kind SIMILAR TO 'b[a-z]+'", "kind ~ 'bike'", "kind GLOB 'b*'", "lower(trim(kind)) || 'x' = 'bikex'",
        "length(kind) = 4 AND starts_with(kind, 'b') AND contains(kind, 'ik')", "kind[1] = 'b' AND kind[1:2] = 'bi'",
        "coalesce(nullif(kind, 'car'), 'none') = 'bike'", "CASE WHEN kind = 'bike' THEN TRUE ELSE FALSE END",
        "TRY_CAST(fare AS DOUBLE) IS NULL", "abs(round(CAST(o_lat AS DOUBLE) * 2 - 3, 1)) % 2 = 0",
        "greatest(CAST(o_lat AS DOUBLE), 1) ** 2 > 2", "kind IS DISTINCT FROM 'car'", "hash(kind) IS NOT NULL",
        "substring(kind FROM 2 FOR 2) = 'ik'", "position('k' IN kind) = 3"}) {
    request_.where = good;
    EXPECT_EQ(cells_of_text(text), (Cells{{{1, 1, 1, 1}, 1}})) << good;
  }
}

// A Parquet file states the least and the most that a column holds; an optimizer that works with these has no TRY.
TEST_F(SpanTest, AFarOffDateOnlySpoilsItsRow) {
  request_.shape = RowShape::trips;
  Result<DuckSession> duck = DuckSession::open();
  ASSERT_TRUE(duck);
  for (const char* far : {"5881580-07-09", "5877642-06-26 (BC)", "2019-01-06"}) {
    const std::string file = path("far.parquet");
    ASSERT_TRUE(duck->run(fmt::format(
        "COPY (SELECT *, 1.5 AS o_lat, 1.5 AS o_lng, 1.5 AS d_lat, 1.5 AS d_lng FROM (VALUES (CAST('2019-01-05' AS "
        "DATE), TIMESTAMP '2019-01-05 08:10:00'), (CAST('{}' AS DATE), TIMESTAMP '294247-01-10 04:00:54')) AS t(day, "
        "moment)) TO '{}' (FORMAT parquet)",
        far, file)));
    for (const char* good : {"date_trunc('month', day) = DATE '2019-01-01' AND day < DATE '2019-01-06'",
                             "hour(date_trunc('hour', day)) = 0 AND day < DATE '2019-01-06' AND day > DATE '2019-01-04'",
                             "isoyear(CAST(day AS DATE)) = 2019 AND dayname(day) = 'Saturday'", "epoch_ns(moment) > 0"}) {
      request_.where = good;
      EXPECT_EQ(cells(file), (Cells{{{1, 1, 1, 1}, 1}})) << far << ": " << good;
    }
  }
}

TEST_F(SpanTest, AConditionLooksAtOneRowAlone) {
  request_.shape = RowShape::trips;
  const std::string file = write("in.csv", "kind,o_lat,o_lng,d_lat,d_lng\nbike,1.5,1.5,1.5,1.5\n");
  for (const char* bad :
       {"kind IN (SELECT 'bike')", "count(*) > 1", "row_number() OVER () < 5", "random() < 0.5", "now() > kind",
        "max(kind) = 'a'", "kind = 'a') OR EXISTS (SELECT 1", "kind = 'a') GROUP BY (kind", "kind = 'a'; DROP TABLE x",
        "kind =", "source.kind = 'a'", "*", "error(kind) = 1", "kind = 'a') ORDER BY (kind", "1) UNION SELECT (1"}) {
    request_.where = bad;
    const Error error = refusal(file);
    EXPECT_EQ(error.failure, Failure::usage) << bad << ": " << error.message;
    EXPECT_THAT(error.message, testing::HasSubstr("`where")) << bad;
  }
  // One row's value would say how large something becomes: memory, and with it the run, would depend on that row.
  for (const char* large :
       {"len(list_value(1) || list_resize([1], CAST(kind AS BIGINT))) > 0",
        "lpad(kind, CAST(kind AS INTEGER), 'x') = 'a'",
        "RPAD(kind, CAST(kind AS INTEGER), 'x') = 'a'", "kind.lpad(CAST(kind AS INTEGER), 'x') = 'a'",
        "format('{:>' || kind || '}', 1) = 'a'", "printf('%' || kind || 'd', 1) = 'a'",
        "repeat(kind, CAST(kind AS BIGINT)) = 'a'", "len(repeat([1], CAST(kind AS BIGINT))) > 1",
        "len(range(CAST(kind AS BIGINT))) > 1", "len(generate_series(CAST(kind AS BIGINT))) > 1",
        "bar(CAST(kind AS DOUBLE), 0, 1, 1000) = 'a'", "replace(kind, 'a', kind) = 'a'",
        "replace(kind, 'a', 'aa') = 'a'",
        "regexp_replace(kind, 'a', kind, 'g') = 'a'", "regexp_matches('a', kind)", "'a' LIKE kind",
        "'a' NOT ILIKE kind",
        "'a' SIMILAR TO kind", "kind GLOB o_lat", "levenshtein(kind, kind) > 1", "kind LIKE 'a' ESCAPE o_lat",
        "list_sum([x * 2 for x in [1]]) > 1", "CAST(kind AS BIT) = '1'", "CAST(kind AS INTEGER[]) = [1]",
        "strftime(now(), kind) = 'a'", "array_resize([1], CAST(kind AS BIGINT)) = [1]"}) {
    request_.where = large;
    const Error error = refusal(file);
    EXPECT_EQ(error.failure, Failure::usage) << large << ": " << error.message;
    EXPECT_THAT(error.message, testing::HasSubstr("`where")) << large;
  }
  // What DuckDB does not know of a type ends its query, and TRY does not help: at the first row that has such a value.
  for (const char* unknown :
       {"date_part(kind, CAST(o_lat AS DATE)) = 1", "date_trunc(kind, CAST(o_lat AS TIMESTAMP)) IS NULL",
        "date_diff(kind, CAST(o_lat AS TIMESTAMP), CAST(o_lng AS TIMESTAMP)) > 0",
        "date_sub('day', CAST(o_lat AS TIME), CAST(o_lng AS TIME)) > 0",
        "extract('timezone' FROM CAST(o_lat AS DATE)) = 0", "date_trunc('era', CAST(o_lat AS DATE)) IS NULL",
        "extract('dow' FROM CAST(o_lat AS TIMESTAMP) - CAST(o_lng AS TIMESTAMP)) = 1", "week(CAST(kind AS INTERVAL)) = 1",
        "isoyear(to_days(CAST(o_lat AS INTEGER))) = 1", "kind LIKE 'a' ESCAPE 'xx'", "kind LIKE 'bike!' ESCAPE '!'"}) {
    request_.where = unknown;
    const Error error = refusal(file);
    EXPECT_EQ(error.failure, Failure::usage) << unknown << ": " << error.message;
    EXPECT_THAT(error.message, testing::HasSubstr("`where")) << unknown;
  }
  request_.where = "lpad(kind, 9, ' ') = 'a'";
  EXPECT_THAT(refusal(file).message, testing::HasSubstr("lpad is none of the functions that may stand there."));
  request_.where = "uper(kind) = 'A'";
  EXPECT_THAT(refusal(file).message, testing::HasSubstr("Did you mean upper"));
  request_.where = "o_lat > 1";
  EXPECT_THAT(refusal(file).message, testing::HasSubstr("CAST(fare AS DOUBLE)"));
  request_.where = "colour = 'red'";
  EXPECT_THAT(refusal(file).message, testing::HasSubstr("there is no column colour"));
}

}  // namespace
}  // namespace stopover
