#include "ingest/ingest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>

#include "duck/duck_functions.h"
#include "ingest/cells_file.h"
#include "ingest/ingest_fixture.h"
#include "ingest/matrix_reader.h"

namespace stopover {
namespace {

constexpr const char* kStops = "uid,tid,seq,lat,lng\n";

TEST_F(IngestTest, TakesFirstAndLastStop) {
  names_.seq = "seq";
  const std::string text =
      std::string(kStops) + "u,1,2,3.5,30.5\nu,1,0,1.5,10.5\nu,1,1,2.5,20.5\nv,1,0,4.5,40.5\nv,1,1,5.5,50.5\n";
  EXPECT_EQ(cells_of_text(text), (Cells{{{10, 1, 30, 3}, 1}, {{40, 4, 50, 5}, 1}}));
  request_.model = StopModel::first;
  EXPECT_EQ(cells_of_text(text), (Cells{{{10, 1}, 1}, {{40, 4}, 1}}));
  request_.model = StopModel::last;
  EXPECT_EQ(cells_of_text(text), (Cells{{{30, 3}, 1}, {{50, 5}, 1}}));
  request_.model = StopModel::first_mid_last;
  EXPECT_EQ(cells_of_text(text), (Cells{{{10, 1, 20, 2, 30, 3}, 1}}));
}

TEST_F(IngestTest, ViasAreExactUnlessSpread) {
  names_.seq = "seq";
  std::string text = kStops;
  for (int n : {3, 4, 6}) {
    for (int i = 0; i < n; ++i) text += fmt::format("u,{},{},{}.5,{}.5\n", n, i, n, i);
  }
  request_.model = StopModel::od_vias;
  request_.vias = 2;
  EXPECT_EQ(cells_of_text(text), (Cells{{{0, 4, 1, 4, 2, 4, 3, 4}, 1}}));
  request_.spread = true;
  EXPECT_EQ(cells_of_text(text), (Cells{{{0, 4, 1, 4, 2, 4, 3, 4}, 1}, {{0, 6, 1, 6, 3, 6, 5, 6}, 1}}));
}

// Three trips of 2, 3 and 5 stops per user.
std::string trips_of_many_lengths(int users) {
  std::string text = kStops;
  for (int user = 0; user < users; ++user) {
    for (int n : {2, 3, 5}) {
      for (int i = 0; i < n; ++i) text += fmt::format("u{},{},{},{}.5,{}.5\n", user, n, i, n, i);
    }
  }
  return text;
}

TEST_F(IngestTest, SeveralCountsOfStopsAreDisjointParts) {
  names_.seq = "seq";
  request_.model = StopModel::counts;
  request_.counts = {2, 3};
  const std::string file = write("in.csv", trips_of_many_lengths(1));
  const auto parts = [&] {
    Result<Ingest> in = open(file);
    const auto matrices = in->matrices();
    EXPECT_EQ(matrices->size(), 2U);
    return std::pair(cells_of(matrices->front()), cells_of(matrices->back()));
  };
  EXPECT_EQ(parts(), std::pair(Cells{{{0, 2, 1, 2}, 1}}, Cells{{{0, 3, 1, 3, 2, 3}, 1}}));
  request_.spread = true;
  EXPECT_EQ(parts(), std::pair(Cells{{{0, 2, 1, 2}, 1}}, Cells{{{0, 3, 1, 3, 2, 3}, 1}, {{0, 5, 2, 5, 4, 5}, 1}}));
  request_.shape = RowShape::trips;
  EXPECT_NE(check_request(request_).error().message.find("is for rows of stops or pings"), std::string::npos);
}

TEST_F(IngestTest, TheBoundIsOverAllPartsTogether) {
  names_.seq = "seq";
  request_.model = StopModel::counts;
  request_.counts = {2, 3, 5};
  request_.max_trips_per_user = 2;
  const std::string file = write("in.csv", trips_of_many_lengths(40));
  Result<Ingest> in = open(file);
  const auto matrices = in->matrices();
  ASSERT_TRUE(matrices);
  std::uint64_t total = 0;
  for (const Matrix& part : *matrices) {
    EXPECT_GT(part.total(), 10U);
    EXPECT_LT(part.total(), 40U);
    total += part.total();
  }
  EXPECT_EQ(total, 80U);
  ASSERT_TRUE(in->write_cells(path("parts.parquet")));
  const auto facts = read_cells_facts(path("parts.parquet"));
  ASSERT_TRUE(facts && *facts) << facts.error().message;
  EXPECT_EQ((*facts)->parts, in->parts());
  EXPECT_EQ((*facts)->max_trips_per_user, 2U);
  for (std::size_t i = 0; i < 3; ++i) {
    const TripPart& part = in->parts()[i];
    const auto read = read_matrix(path("parts.parquet"), part.domain, {1, [] { return false; }, part.stops});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->dropped.total(), 0U);
    EXPECT_EQ(cells_of(read->matrix), cells_of((*matrices)[i]));
  }
}

TEST_F(IngestTest, DropsTripsThatMakeNoSense) {
  names_.seq = "seq";
  names_.time = "datetime";
  const std::string header = "uid,tid,seq,datetime,lat,lng\n";
  const std::string good = "g,1,0,100,1.5,10.5\ng,1,1,200,3.5,30.5\n";
  const Cells only_good = {{{10, 1, 30, 3}, 1}};
  EXPECT_EQ(cells_of_text(header + good), only_good);
  for (const char* bad :
       {"b,1,0,100,1.5,10.5\n",                      // one point
        "b,1,0,100,1.5,10.5\nb,1,0,100,1.5,10.5\n",  // the same stop twice
        "b,1,0,200,1.5,10.5\nb,1,1,100,3.5,30.5\n",  // time goes backwards
        "b,1,0,100,nan,10.5\nb,1,1,200,3.5,30.5\n", "b,1,0,100,inf,10.5\nb,1,1,200,3.5,30.5\n",
        "b,1,0,100,,10.5\nb,1,1,200,3.5,30.5\n", "b,1,0,100,1e400,10.5\nb,1,1,200,3.5,30.5\n",
        "b,1,0,100,60.5,10.5\nb,1,1,200,3.5,30.5\n",  // outside
        "b,1,0,100,1.5,100\nb,1,1,200,3.5,30.5\n",    // on the eastern edge
        "b,1,0,soon,1.5,10.5\nb,1,1,200,3.5,30.5\n", "b,1,x,100,1.5,10.5\nb,1,1,200,3.5,30.5\n",
        "b,1,0,-5,1.5,10.5\nb,1,1,200,3.5,30.5\n", "b,1,0,2020-02-30 10:00,1.5,10.5\nb,1,1,2020-03-01 10:00,3.5,30.5\n",
        "b,,0,100,1.5,10.5\nb,,1,200,3.5,30.5\n"}) {
    EXPECT_EQ(cells_of_text(header + bad + good), only_good) << bad;
  }
}

TEST_F(IngestTest, RowsWithoutUserCannotBeBounded) {
  names_.seq = "seq";
  const std::string text = std::string(kStops) + ",1,0,1.5,10.5\n,1,1,3.5,30.5\n";
  request_.max_trips_per_user = 2;
  EXPECT_EQ(cells_of_text(text), Cells{});
  request_.max_trips_per_user.reset();
  EXPECT_EQ(cells_of_text(text).size(), 1U);
}

TEST_F(IngestTest, ReadsTimesOfManyKinds) {
  // Every pair is the same moment twice, so it is a stop told twice: one point, no trip. One second off makes a trip.
  names_.time = "datetime";
  const auto trips = [&](const std::string& a, const std::string& b) {
    return cells_of_text("uid,tid,datetime,lat,lng\nu,1," + a + ",1.5,1.5\nu,1," + b + ",1.5,1.5\n").size();
  };
  EXPECT_EQ(trips("1577934245", "2020-01-02T03:04:05Z"), 0U);
  EXPECT_EQ(trips("2020-01-02 03:04:05", "2020-01-02T03:04:05.000UTC"), 0U);
  EXPECT_EQ(trips("2020-01-02 03:04:05+01:30", "2020-01-02T01:34:05"), 0U);
  EXPECT_EQ(trips("2020-01-02 03:04-0200", "2020-01-02T05:04:00.0Z"), 0U);
  EXPECT_EQ(trips("2020-01-02", "2020-01-02T00:00Z"), 0U);
  EXPECT_EQ(trips(" 1577934245.25 ", "2020-01-02T03:04:05.250Z"), 0U);
  EXPECT_EQ(trips("1577934245", "2020-01-02T03:04:06Z"), 1U);
  request_.timezone = "America/New_York";
  EXPECT_EQ(trips("2020-01-01 22:04:05", "2020-01-02T03:04:05Z"), 0U);
  EXPECT_EQ(trips("2020-07-01 22:04:05", "2020-07-02T02:04:05Z"), 0U);
  EXPECT_EQ(trips("2020-11-01 01:30", "2020-11-01T05:30Z"), 0U) << "the hour that comes twice is its first";
  EXPECT_EQ(trips("2020-03-08 02:30", "2020-03-08T07:30Z"), 0U) << "the hour that is skipped";
}

TEST_F(IngestTest, FindsStaysInPings) {
  request_.shape = RowShape::pings;
  request_.model = StopModel::od;
  names_.time = "datetime";
  // 0.001 degrees are 111 m to the north. Home 0-20 min, a walk, work 60-120 min, a slow drift that is no stay.
  std::string text = "uid,datetime,lat,lng\n";
  const auto ping = [&](const char* user, int minute, double lat, double lng) {
    text += fmt::format("{},{},{},{}\n", user, 1'600'000'000 / 86400 * 86400 + 60 * minute, lat, lng);
  };
  for (int minute : {0, 10, 20}) ping("u", minute, 1.5, 10.5);
  ping("u", 30, 1.52, 10.5);
  ping("u", 40, 1.54, 10.5);
  for (int minute : {60, 90, 120}) ping("u", minute, 3.5005, 30.5);
  for (int i = 0; i < 60; ++i) ping("u", 200 + i, 5.5 + 0.0015 * i, 30.5);
  ping("v", 65, 3.5005, 30.5);
  EXPECT_EQ(cells_of_text(text), (Cells{{{10, 1, 30, 3}, 1}}));
  request_.stay_ms = 25 * 60'000;
  EXPECT_EQ(cells_of_text(text), Cells{}) << "home was 20 minutes only";
  request_.stay_ms = 10 * 60'000;
  request_.run_gap_ms = 25 * 60'000;
  EXPECT_EQ(cells_of_text(text), Cells{}) << "at work a ping every 30 minutes only";
}

TEST_F(IngestTest, CutsStaysByDayOrGap) {
  request_.shape = RowShape::pings;
  request_.stay_ms = 0;
  names_.time = "datetime";
  // 22:00, 23:00 | 01:00, 02:00 of the next day.
  const std::string text =
      "uid,datetime,lat,lng\nu,2020-01-01 22:00,1.5,1.5\nu,2020-01-01 23:00,1.5,2.5\n"
      "u,2020-01-02 01:00,1.5,3.5\nu,2020-01-02 02:00,1.5,4.5\n";
  EXPECT_EQ(cells_of_text(text), (Cells{{{1, 1, 2, 1}, 1}, {{3, 1, 4, 1}, 1}}));
  request_.cut_by_day = false;
  EXPECT_EQ(cells_of_text(text), (Cells{{{1, 1, 4, 1}, 1}}));
  request_.cut_gap_ms = 90 * 60'000;
  EXPECT_EQ(cells_of_text(text), (Cells{{{1, 1, 2, 1}, 1}, {{3, 1, 4, 1}, 1}}));
  request_.cut_by_day = true;
  request_.timezone = "America/New_York";  // 02:00 UTC is 21:00 there
  const std::string zoned = "uid,datetime,lat,lng\nu,2020-01-01 22:00Z,1.5,1.5\nu,2020-01-02 02:00Z,1.5,4.5\n";
  EXPECT_EQ(cells_of_text(zoned), (Cells{{{1, 1, 4, 1}, 1}}));
}

TEST_F(IngestTest, FillsFrames) {
  request_.model = StopModel::frames;
  request_.frames = *parse_frames("morning=05:00-10:00,night=22:00-28:00");
  names_.time = "datetime";
  const std::string text =
      "uid,datetime,lat,lng\n"
      "u,2020-01-01 05:00,1.5,1.5\nu,2020-01-01 06:00,1.5,9.5\n"  // the first of two points
      "u,2020-01-01 10:00,1.5,8.5\n"                              // after the morning
      "u,2020-01-02 03:59,1.5,2.5\n"                              // the night of the first
      "u,2020-01-02 07:00,1.5,3.5\n"                              // a morning without night
      "v,2020-01-01 23:00,1.5,7.5\n";
  EXPECT_EQ(cells_of_text(text), (Cells{{{1, 1, 2, 1}, 1}}));
  request_.shape = RowShape::pings;
  request_.stay_ms = 0;
  const std::string stays =
      "uid,datetime,lat,lng\n"
      "u,2020-01-01 04:00,1.5,1.5\nu,2020-01-01 05:30,1.5,1.5\n"  // 30 minutes of the morning
      "u,2020-01-01 06:00,1.5,2.5\nu,2020-01-01 08:00,1.5,2.5\n"  // two hours of it
      "u,2020-01-01 21:00,1.5,3.5\nu,2020-01-01 23:00,1.5,3.5\n";
  EXPECT_EQ(cells_of_text(stays), (Cells{{{2, 1, 3, 1}, 1}}));
}

TEST_F(IngestTest, AddsTimeWeekdayAndCategory) {
  names_.seq = "seq";
  names_.time = "datetime";
  request_.model = StopModel::first;
  request_.axes = {*parse_extra_axis("time-of-day:48"), *parse_extra_axis("weekday"),
                   *parse_extra_axis("category:p=home,work")};
  const std::string text =
      "uid,tid,seq,datetime,lat,lng,p\nu,1,0,2024-02-29 18:45,1.5,1.5,work\nu,2,0,2024-02-29 18:45,1.5,1.5,sport\n";
  EXPECT_EQ(cells_of_text(text), (Cells{{{1, 1, 37, 3, 1}, 1}}));
  request_.axes[2] = *parse_extra_axis("category:p=home,*");
  EXPECT_EQ(cells_of_text(text), (Cells{{{1, 1, 37, 3, 1}, 2}}));
}

TEST_F(IngestTest, TakesZonesByTheirIds) {
  request_.zones = zones_named({"north", "7", "it's"});
  request_.zones_by_id = true;
  request_.shape = RowShape::trips;
  names_.zones = {"o", "d"};
  const std::string wide = "tid,o,d\n1,north,7\n2,7,it's\n3,north,07\n4,,7\n5,north,7\n";
  EXPECT_EQ(cells_of_text(wide), (Cells{{{0, 1}, 2}, {{1, 2}, 1}}));
  Result<Ingest> in = open(write("in.csv", wide));
  ASSERT_TRUE(in);
  EXPECT_EQ(in->parts()[0].domain.axis(0).kind, AxisKind::zone);
  EXPECT_EQ(in->parts()[0].domain.zones()->find("it's"), 2);
  const Result<PrivateFacts> facts = in->row_facts();
  ASSERT_TRUE(facts);
  const std::map<std::string, std::uint64_t> found(facts->begin(), facts->end());
  EXPECT_EQ(found.at("without_zone"), 1U);
  EXPECT_EQ(found.at("unknown_zone"), 1U);

  request_.shape = RowShape::stops;
  names_.zones = {"at"};
  names_.seq = "seq";
  EXPECT_EQ(cells_of_text("tid,seq,at\n1,0,north\n1,1,it's\n1,2,7\n2,1,7\n2,0,7\n3,0,7\n3,1,nowhere\n"),
            (Cells{{{0, 1}, 1}, {{1, 1}, 1}}));

  names_.seq.reset();
  request_.shape = RowShape::pings;
  names_.time = "t";
  request_.stay_ms = 60'000;
  // Two moments at one zone are a stay; one is not.
  EXPECT_EQ(cells_of_text("uid,t,at\nu,0,north\nu,60,north\nu,90,7\nu,120,it's\nu,200,it's\n"), (Cells{{{0, 2}, 1}}));
}

TEST_F(IngestTest, RefusesZonesThatDoNotFit) {
  request_.zones = zones_named({"a"});
  request_.zones_by_id = true;
  request_.shape = RowShape::trips;
  const std::string csv = write("in.csv", "o,d\na,a\n");
  names_.zones = {"o"};
  EXPECT_THAT(refusal(csv).message, testing::HasSubstr("`zone_columns` must name 2 columns, one for each stop, not 1"));
  names_.zones = {"o", "d", "d"};
  EXPECT_THAT(refusal(csv).message,
              testing::HasSubstr("not 3\n  Trips through places between need them declared: `stops od+1`"));
  names_.zones = {"o", "x"};
  EXPECT_THAT(refusal(csv).message, testing::HasSubstr("there is no column x"));
}

TEST_F(IngestTest, TripsHaveAxesOfTheirOwn) {
  request_.zones = zones_named({"a", "b"});
  request_.zones_by_id = true;
  request_.shape = RowShape::trips;
  names_.zones = {"o", "d"};
  request_.trip_axes = {*parse_trip_axis("hour:start=0-6,6-9.5"), *parse_trip_axis("daytype:start"),
                        *parse_trip_axis("category:member=casual,member")};
  const std::string head = "tid,o,d,start,member\n";
  EXPECT_EQ(cells_of_text(head + "1,a,b,2024-03-02 09:29:59,member\n2,a,b,2024-03-01 00:00,casual\n"),
            (Cells{{{0, 1, 0, 0, 0}, 1}, {{0, 1, 1, 1, 1}, 1}}));
  // After the last hours, of another kind of member, or without a time: left out.
  EXPECT_EQ(cells_of_text(head + "1,a,b,2024-03-02 09:30,member\n2,a,b,2024-03-02 01:00,x\n3,a,b,,casual\n"), Cells());
  Result<Ingest> in = open(path("in.csv"));
  ASSERT_TRUE(in);
  const Domain& domain = in->parts()[0].domain;
  ASSERT_EQ(domain.stops().size(), 5U);
  EXPECT_EQ(domain.stops()[2].name, "hour");
  EXPECT_EQ(domain.stops()[4].name, "member");
  EXPECT_EQ(domain.axis(2).labels, (std::vector<std::string>{"0-6", "6-9.5"}));

  // Of rows of stops: what its first stop says.
  request_.shape = RowShape::stops;
  names_.zones = {"at"};
  names_.time = "t";
  names_.seq = "seq";
  request_.trip_axes = {*parse_trip_axis("hour=0-6,6-24"), *parse_trip_axis("category:member=casual,member")};
  EXPECT_EQ(cells_of_text("tid,seq,t,at,member\n1,0,2024-03-02 05:00,a,member\n1,1,2024-03-02 07:00,b,casual\n"),
            (Cells{{{0, 1, 0, 1}, 1}}));
}

// Two rows of the first stop that differ in the trip's label alone: which one counts must not be the engine's to say.
TEST_F(IngestTest, ATripWithTwoLabelsHasTheFirstOfThem) {
  names_.seq = "seq";
  request_.model = StopModel::first;
  request_.trip_axes = {*parse_trip_axis("category:member=casual,member")};
  const std::string head = "tid,seq,lat,lng,member\n", one = "1,0,1.5,1.5,casual\n", other = "1,0,1.5,1.5,member\n";
  const Cells wanted = {{{1, 1, 0}, 1}};
  EXPECT_EQ(cells_of_text(head + one + other), wanted);
  EXPECT_EQ(cells_of_text(head + other + one), wanted);
}

TEST_F(IngestTest, ReadsWideTripsAlikeFromEveryFormat) {
  request_.shape = RowShape::trips;
  const Cells wanted = {{{10, 1, 30, 3}, 2}};
  const std::string header = "uid,tid,o_lat,o_lng,d_lat,d_lng\n";
  const std::string csv = write(
      "w.csv", "\xef\xbb\xbf" + header + "u,1,1.5,10.5,3.5,30.5\r\nu,2,1.5,10.5,3.5,30.5\r\nu,3,1.5,10.5,,30.5\r\n");
  EXPECT_EQ(cells(csv), wanted);
  const std::string json =
      write("w.jsonl",
            "{\"uid\":\"u\",\"o_lat\":1.5,\"o_lng\":10.5,\"d_lat\":\"3.5\",\"d_lng\":30.5}\n"
            "[1]\n{\"uid\":\"u\",\"o_lat\":1.5,\"o_lng\":10.5,\"d_lat\":3.5,\"d_lng\":30.5}\n{\"uid\":1,\"o_la");
  EXPECT_EQ(cells(json), wanted);
  Result<DuckSession> duck = DuckSession::open();
  std::filesystem::create_directories(path("parts/month=1"));
  ASSERT_TRUE(duck->run(fmt::format(
      "COPY (SELECT 'u' AS uid, 15::DOUBLE / 10 AS o_lat, 10.5::FLOAT AS o_lng, d_lat::DECIMAL(9, 6) AS d_lat, "
      "'30.5' AS d_lng FROM (VALUES (3.5), (3.5), (NULL)) AS v(d_lat)) TO '{}'",
      path("parts/month=1/w.parquet"))));
  EXPECT_EQ(cells(path("parts")), wanted);
  EXPECT_EQ(cells(path("parts/*/w.parquet")), wanted);
  // The value of a part is a column like others.
  std::filesystem::create_directories(path("parts/month=2"));
  std::filesystem::copy(path("parts/month=1/w.parquet"), path("parts/month=2/w.parquet"));
  names_.user = "month";
  request_.max_trips_per_user = 1;
  EXPECT_EQ(cells(path("parts")), wanted) << "two months, one trip each";
  names_.user.reset();
  request_.max_trips_per_user.reset();
  ASSERT_EQ(std::system(fmt::format("gzip -k {}", csv).c_str()), 0);
  EXPECT_EQ(cells(csv + ".gz"), wanted);
  Result<Ingest> sql =
      Ingest::open({"", fmt::format("SELECT * FROM '{}';", path("parts/month=1/w.parquet")), {}}, names_, request_, {});
  ASSERT_TRUE(sql) << sql.error().message;
  EXPECT_EQ(cells_of(sql->matrices()->front()), wanted);
}

TEST_F(IngestTest, StructuralFaultsAreToldBeforeAnythingElse) {
  names_.seq = "seq";
  const std::string good = write("good.csv", std::string(kStops) + "u,1,0,1,1\n");
  EXPECT_EQ(refusal(path("none.csv")).failure, Failure::bad_input);
  EXPECT_EQ(refusal(write("empty.csv", "")).failure, Failure::bad_input);
  EXPECT_EQ(refusal(write("x.doc", "a")).failure, Failure::usage);
  EXPECT_EQ(refusal(write("cut.parquet", "PAR1")).failure, Failure::bad_input);
  EXPECT_NE(refusal(write("m.csv", "uid,tid,seq,lat\nu,1,0,1\n")).message.find("there is no column lng"),
            std::string::npos);
  EXPECT_NE(refusal(write("t.csv", "uid,tid,seq,lat,lng,lat\n")).message.find("two columns named lat"),
            std::string::npos);
  request_.timezone = "Mars/Olympus";
  EXPECT_EQ(refusal(good).failure, Failure::usage);
  request_.timezone = "UTC";
  names_.lat = "latitude";
  EXPECT_NE(refusal(good).message.find("there is no column latitude"), std::string::npos);
  names_.lat.reset();
  Result<DuckSession> duck = DuckSession::open();
  ASSERT_TRUE(duck->run(fmt::format("COPY (SELECT 'u' uid, 't' tid, 1 seq, DATE '2020-01-01' lat, 1.0 lng) TO '{}'",
                                    path("type.parquet"))));
  EXPECT_NE(refusal(path("type.parquet")).message.find("column lat holds DATE, not numbers"), std::string::npos);
  EXPECT_TRUE(open(good));
}

// 40 users with up to 30 trips each, in any order.
std::vector<std::string> many_trips(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> rows;
  for (int user = 0; user < 40; ++user) {
    const auto trips = static_cast<int>(random() % 30);
    for (int trip = 0; trip < trips; ++trip) {
      for (int seq = 0; seq < 2; ++seq)
        rows.push_back(fmt::format("u{0},{1},{2},{3}.5,{0}.5\n", user, trip, seq, random() % 50));
    }
  }
  return rows;
}

TEST_F(IngestTest, NoUserHasMoreThanKTripsWhateverTheOrderAndThreads) {
  names_.seq = "seq";
  std::vector<std::string> rows = many_trips(1);
  for (const std::uint32_t k : {1U, 4U}) {
    request_.max_trips_per_user = k;
    Cells first;
    for (unsigned round = 0; round < 4; ++round) {
      std::shuffle(rows.begin(), rows.end(), std::mt19937_64(round));
      std::filesystem::create_directories(path("parts"));
      for (std::size_t part = 0; part < 3; ++part) {
        std::string text = kStops;
        for (std::size_t i = part * round; i < rows.size(); ++i) {
          if (round == 0 ? part == 0 : i % 3 == part) text += rows[i];
        }
        for (std::size_t i = 0; round > 0 && i < part * round; ++i) {
          if (i % 3 == part) text += rows[i];
        }
        write(fmt::format("parts/{}.csv", part), text);
      }
      const Cells now = cells(path("parts"), 1 + round);
      std::map<std::uint32_t, std::uint64_t> of_user;
      for (const auto& [cell, count] : now) of_user[cell[0]] += count;
      for (const auto& [user, count] : of_user) EXPECT_LE(count, k);
      if (round == 0) first = now;
      EXPECT_EQ(now, first) << "round " << round;
    }
    EXPECT_FALSE(first.empty());
  }
  request_.bound_key = "other";
  const Cells other = cells(path("parts"));
  request_.bound_key = "stopover";
  EXPECT_NE(other, cells(path("parts")));
}

// As if somebody had found as many trips of one hash as wanted: whichever way rows come, the same trips are kept.
TEST_F(IngestTest, TripsWithTheSameHashAreChosenByWhatTheyHold) {
  struct Case {
    RowShape shape;
    std::string columns;
    std::function<std::vector<std::string>(int, int)> rows;  // of a trip of a user
  };
  const std::vector<Case> cases = {
      {RowShape::trips, "uid, tid, o_lat, o_lng, d_lat, d_lng",  // ids that repeat
       [](int user, int trip) {
         return std::vector<std::string>{
             fmt::format("('u{0}', '{1}', '{2}.5', '{0}.5', '{3}.5', '4.5')", user, trip / 2, trip, 20 + trip % 2)};
       }},
      {RowShape::stops, "uid, tid, seq, lat, lng", [](int user, int trip) {
         return std::vector<std::string>{fmt::format("('u{0}', '{1}', '0', '{1}.5', '{0}.5')", user, trip),
                                         fmt::format("('u{0}', '{1}', '1', '{1}.5', '7.5')", user, trip)};
       }}};
  for (const Case& c : cases) {
    request_.shape = c.shape;
    request_.max_trips_per_user = 3;
    names_ = {};
    if (c.shape == RowShape::stops) names_.seq = "seq";
    std::string header = c.columns;
    std::erase(header, ' ');
    const Result<Ingest> in = open(write("in.csv", header + "\n"));
    ASSERT_TRUE(in) << in.error().message;
    std::vector<std::string> rows;
    for (int user = 0; user < 50; ++user) {
      for (int trip = 0; trip < 12; ++trip) {
        for (std::string& row : c.rows(user, trip)) rows.push_back(std::move(row));
      }
    }
    Cells first;
    for (unsigned round = 0; round < 4; ++round) {
      std::shuffle(rows.begin(), rows.end(), std::mt19937_64(round));
      Result<DuckSession> duck = DuckSession::open({.threads = 1 + round, .memory_limit = ""});
      ASSERT_TRUE(add_text_hash(*duck, "lot",
                                [](std::span<const std::optional<std::string_view>>) { return std::int64_t{0}; }));
      ASSERT_TRUE(duck->run(
          fmt::format("CREATE TABLE source AS SELECT * FROM (VALUES {}) AS t({})", fmt::join(rows, ", "), c.columns)));
      ASSERT_TRUE(duck->run(*in->plan_sql(SqlDialect::Engine::duckdb)));
      Result<DuckRows> found = duck->query(
          "SELECT CAST(a0 AS UINTEGER), CAST(a1 AS UINTEGER), CAST(a2 AS UINTEGER), CAST(a3 AS UINTEGER), CAST(count "
          "AS UBIGINT) FROM cells");
      ASSERT_TRUE(found) << found.error().message;
      Cells now;
      while (*found->next()) {
        for (std::size_t row = 0; row < found->size(); ++row) {
          std::vector<std::uint32_t> cell;
          for (std::size_t a = 0; a < 4; ++a) cell.push_back(found->column<std::uint32_t>(a)[row]);
          now[cell] = found->column<std::uint64_t>(4)[row];
        }
      }
      if (round == 0) first = now;
      EXPECT_EQ(now, first) << "round " << round;
    }
    EXPECT_EQ(first.size(), 150U);
  }
}

// Two stays that begin at one moment at one place, one for each purpose, and a third 25 minutes after the longer one.
TEST_F(IngestTest, StaysThatBeginTogetherAreOrderedByAllTheyHold) {
  request_.shape = RowShape::pings;
  request_.stay_ms = 0;
  request_.cut_by_day = false;
  request_.cut_gap_ms = 30 * 60'000;
  request_.axes = {*parse_extra_axis("category:p=home,work")};
  names_.time = "datetime";
  std::vector<std::string> rows;
  for (int user = 0; user < 300; ++user) {
    rows.push_back(fmt::format("u{},1000,1.5,1.5,home\n", user));
    rows.push_back(fmt::format("u{},1000,1.5,1.5,work\n", user));
    rows.push_back(fmt::format("u{},2200,1.5,1.5,work\n", user));
    rows.push_back(fmt::format("u{},3700,1.5,5.5,home\n", user));
  }
  for (unsigned round = 0; round < 4; ++round) {
    std::shuffle(rows.begin(), rows.end(), std::mt19937_64(round));
    std::string text = "uid,datetime,lat,lng,p\n";
    for (const std::string& row : rows) text += row;
    EXPECT_EQ(cells(write("in.csv", text), 1 + round), (Cells{{{1, 1, 0, 5, 1, 0}, 300}})) << "round " << round;
  }
}

// Writes one Parquet file of a SELECT.
void copy(const std::string& sql, const std::string& to) {
  std::filesystem::create_directories(std::filesystem::path(to).parent_path());
  Result<DuckSession> duck = DuckSession::open({.threads = 1, .memory_limit = ""});
  const Status done = duck->run(fmt::format("COPY ({}) TO '{}'", sql, to));
  EXPECT_TRUE(done) << done.error().message;
}

TEST_F(IngestTest, EveryParquetFileIsReadByItsOwnTypes) {
  request_.shape = RowShape::trips;
  request_.max_trips_per_user = 2;
  names_.user = "uid";
  names_.trip = "tid";
  // As a FLOAT, 2.9999999999 is 3.
  const std::string others =
      "SELECT 'u' || range AS uid, range AS tid, 2.9999999999::DOUBLE AS o_lat, 1.5::DOUBLE AS o_lng, 3.5::DOUBLE AS "
      "d_lat, "
      "3.5::DOUBLE AS d_lng FROM range(100)";
  const std::string own = "SELECT 'z' AS uid, 1 AS tid, {} AS o_lat, 1.5 AS o_lng, 3.5 AS d_lat, 3.5 AS d_lng";
  copy(others, path("set/m.parquet"));
  const Cells alone = cells(path("set"));
  EXPECT_EQ(alone, (Cells{{{1, 2, 3, 3}, 100}}));
  for (const char* lat : {"2.5::FLOAT", "'2.5'", "2.5::DECIMAL(9,3)", "'2.5'::DOUBLE"}) {
    for (const char* name : {"set/a.parquet", "set/x.parquet", "set/uid=z/day=1/a.parquet"}) {
      copy(fmt::format(fmt::runtime(own), lat), path(name));
      for (const std::string& input : {path("set"), path("set/*.parquet")}) {
        const bool seen = std::string_view(name) != "set/uid=z/day=1/a.parquet" || input == path("set");
        EXPECT_EQ(cells(input), (Cells{{{1, 2, 3, 3}, seen ? 101U : 100U}})) << lat << " " << name;
      }
      std::filesystem::remove_all(path("set/uid=z"));
      std::filesystem::remove(path(name));
    }
  }
  // A file that cannot give a column costs its own rows.
  for (const std::string& sql :
       {fmt::format(fmt::runtime(own), "DATE '2020-01-01'"), std::string("SELECT 'z' AS uid, 7 AS tid"),
        std::string("SELECT true AS uid, [1] AS o_lat"), std::string("SELECT 1 AS other")}) {
    copy(sql, path("set/a.parquet"));
    EXPECT_EQ(cells(path("set")), alone) << sql;
    Result<Ingest> in = open(path("set"));
    const Result<PrivateFacts> facts = in->row_facts();
    const std::map<std::string, std::uint64_t> named(facts->begin(), facts->end());
    EXPECT_EQ(named.at("rows_read"), 101U);
    EXPECT_EQ(named.at("lacking_files"), 1U);
  }
  std::filesystem::remove(path("set/m.parquet"));
  copy(fmt::format(fmt::runtime(own), "DATE '2020-01-01'"), path("set/a.parquet"));
  EXPECT_NE(refusal(path("set")).message.find("column o_lat holds DATE, not numbers"), std::string::npos)
      << "no file has it";
  write("set/b.parquet", "PAR1");
  EXPECT_NE(refusal(path("set")).message.find("b.parquet"), std::string::npos) << "a broken file is named";
}

TEST_F(IngestTest, AnIdIsOneUserWhateverItsType) {
  request_.shape = RowShape::trips;
  request_.max_trips_per_user = 2;
  names_.user = "uid";
  names_.trip = "tid";
  const std::string trips =
      "SELECT {} AS uid, {} AS tid, range + 0.5 AS o_lat, 1.5 AS o_lng, range % 7 + 0.5 AS d_lat, 3.5 AS d_lng FROM "
      "range(40)";
  copy(fmt::format(fmt::runtime(trips), "range % 4", "range"), path("ids/m.parquet"));
  const Cells numbers = cells(path("ids"));
  EXPECT_EQ(numbers.size(), 8U);
  // The same choice where ids are texts, and where one more user's file holds texts.
  copy(fmt::format(fmt::runtime(trips), "(range % 4)::VARCHAR", "range::DOUBLE"), path("texts/m.parquet"));
  EXPECT_EQ(cells(path("texts")), numbers);
  copy("SELECT 'z' AS uid, 'z' AS tid, 1.5 AS o_lat, 99.5 AS o_lng, 1.5 AS d_lat, 1.5 AS d_lng", path("ids/a.parquet"));
  Cells more = numbers;
  more[{99, 1, 1, 1}] = 1;
  EXPECT_EQ(cells(path("ids")), more);
  // Told in two types, a user has no more trips.
  copy(fmt::format(fmt::runtime(trips), "(range % 4)::VARCHAR", "range::VARCHAR"), path("ids/a.parquet"));
  std::uint64_t total = 0;
  for (const auto& [cell, count] : cells(path("ids"))) total += count;
  EXPECT_EQ(total, 8U);
}

// A column of numbers in which one is missing is written 7.0, 8.0, ... by pandas and others, maybe in one month alone.
TEST_F(IngestTest, AWholeNumberIsOneUserHoweverItIsWritten) {
  request_.shape = RowShape::trips;
  request_.max_trips_per_user = 1;
  names_.user = "uid";
  names_.trip = "tid";
  const std::string header = "uid,tid,o_lat,o_lng,d_lat,d_lng\n";
  const auto total = [&](const std::string& input) {
    std::uint64_t sum = 0;
    for (const auto& [cell, count] : cells(input)) sum += count;
    return sum;
  };
  write("a.csv", header + "7,1,1.5,1.5,2.5,2.5\n-10,1,1.5,1.5,2.5,2.5\n");
  write("b.csv", header + "7.0,1.0,3.5,3.5,2.5,2.5\n-10.000,2,1.5,1.5,2.5,2.5\n");
  EXPECT_EQ(total(path("[ab].csv")), 2U);
  EXPECT_EQ(total(write("c.jsonl",
                        R"({"uid":7,"tid":1,"o_lat":1.5,"o_lng":1.5,"d_lat":2.5,"d_lng":2.5}
{"uid":7.0,"tid":2,"o_lat":1.5,"o_lng":1.5,"d_lat":3.5,"d_lng":2.5}
{"uid":"7.00","tid":3,"o_lat":1.5,"o_lng":1.5,"d_lat":4.5,"d_lng":2.5}
)")),
            1U);
  // All else is a text: these are six users.
  EXPECT_EQ(total(write("d.csv", header + "1.5,1,1,1,1,1\n07.0,1,1,1,1,1\n7.,1,1,1,1,1\nu.0,1,1,1,1,1\n.0,1,1,1,1,1\n"
                                          "1.10,1,1,1,1,1\n")),
            6U);
}

TEST_F(IngestTest, AFarOffTimeDoesNotEndTheRun) {
  names_.time = "datetime";
  const std::string rows =
      "SELECT uid, 1 AS tid, lat, 1.5 AS lng, {} AS datetime FROM (VALUES ('u', 1.5, 1000000), ('u', 2.5, 2000000), "
      "('z', 1.5, 1000000), "
      "('z', 2.5, 8223372036854775807)) AS v(uid, lat, us)";
  copy(fmt::format(fmt::runtime(rows), "make_timestamp(us)"), path("us.parquet"));
  EXPECT_EQ(cells(path("us.parquet")), (Cells{{{1, 1, 1, 2}, 1}}));
  // Milliseconds are refused as they are: a value among them that ends the run would tell that it is there.
  copy("SELECT 'u' AS uid, 1 AS tid, 1.5 AS lat, 1.5 AS lng, TIMESTAMP_MS '2020-01-01 10:00' AS datetime",
       path("ms.parquet"));
  EXPECT_NE(refusal(path("ms.parquet")).message.find("column datetime holds times in milliseconds"), std::string::npos)
      << refusal(path("ms.parquet")).message;
  copy("SELECT 'u' AS uid, 1 AS tid, 1.5 AS lat, 1.5 AS lng, 1000 AS datetime", path("s.parquet"));
  EXPECT_TRUE(open(path("*s.parquet"))) << "one file's type is no reason to refuse others";
  // Nor may what is in such a file be looked at, though nothing is made of it: the scan itself would fail.
  copy(fmt::format(fmt::runtime(rows), "make_timestamp(us)"), path("far/m.parquet"));
  copy("SELECT 'z' AS uid, 1 AS tid, 1.5 AS lat, 1.5 AS lng, CAST('-infinity' AS TIMESTAMP_MS) AS datetime",
       path("far/x.parquet"));
  EXPECT_EQ(cells(path("far")), (Cells{{{1, 1, 1, 2}, 1}}));
}

TEST_F(IngestTest, OneUsersNonsenseTouchesNobodyElse) {
  names_.seq = "seq";
  names_.time = "datetime";
  const std::string header = "uid,tid,seq,datetime,lat,lng\n";
  std::mt19937_64 random(7);
  std::vector<std::string> others;
  for (int i = 0; i < 30; ++i) {
    others.push_back(
        fmt::format("u{0},{1},0,{2},{0}.5,10.5\nu{0},{1},1,{3},{0}.5,30.5\n", i % 10, i, 1000 + i, 2000 + i));
  }
  const std::string zero(1, '\0'), huge(3 << 20, 'x');
  const std::vector<std::string> nonsense = {"\"z,1,0,100,1.5,1.5\n",
                                             "z,\"1,0\n",
                                             zero + "z,1," + zero + "\n",
                                             "\r\r\n\n\n",
                                             "z,1,0,1,2,3,4,5,6,7\n",
                                             "\xff\xfe,\xc0\x80\n",
                                             huge + "\n",
                                             "z," + huge + ",0,1,1.5,1.5\n",
                                             "z,1,1e999,99999999999999999999,nan,-inf\n",
                                             "\xef\xbb\xbfz,1,0,100,1.5,1.5\n",
                                             "z,'1';DROP TABLE rows;--,0,1,1,1\n",
                                             "u0\n",
                                             ",,,,,\n",
                                             "\"\"\"\"\"\n",
                                             "z,1,0,2020-13-45T99:99:99+99:99,5.5,5.5\n"};
  for (const RowShape shape : {RowShape::stops, RowShape::pings}) {
    request_.shape = shape;
    request_.stay_ms = 0;
    request_.max_trips_per_user = 2;
    std::string plain = header;
    for (const std::string& row : others) plain += row;
    const Cells without = cells_of_text(plain);
    ASSERT_FALSE(without.empty());
    for (int round = 0; round < 10; ++round) {
      std::string text = header;
      for (const std::string& row : others) {
        text += row;
        if (random() % 2 == 0) text += nonsense[random() % nonsense.size()];
      }
      EXPECT_EQ(cells_of_text(text), without) << "round " << round;
    }
  }
}

// Bytes of a good file changed at random: whatever comes of it, nothing fails but what the first line says.
TEST_F(IngestTest, SurvivesMutations) {
  std::mt19937_64 random(11);
  const std::string header = "uid,tid,seq,datetime,lat,lng\n";
  std::string good;
  for (int i = 0; i < 20; ++i)
    good += fmt::format("u{},{},{},2020-01-01T10:{:02}:00Z,{}.5,10.5\n", i / 4, i / 2, i % 2, i, i);
  constexpr char kBytes[] = "\0\n\r\",\"{}[]-+eE.:TZ \xff\xc3\xe2 0123456789naif";
  const std::string bytes(kBytes, sizeof kBytes - 1);
  names_.seq = "seq";
  names_.time = "datetime";
  request_.max_trips_per_user = 2;
  for (int round = 0; round < 60; ++round) {
    std::string text = good;
    for (std::uint64_t n = random() % 30; n > 0; --n) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = bytes[random() % bytes.size()];
          break;
        case 1:
          text.insert(at, 1, bytes[random() % bytes.size()]);
          break;
        default:
          text.erase(at, 1 + random() % 3);
          break;
      }
    }
    request_.shape = round % 2 == 0 ? RowShape::stops : RowShape::pings;
    std::uint64_t total = 0;
    for (const auto& [cell, count] : cells_of_text(header + text)) total += count;
    EXPECT_LE(total, 40U);
  }
}

TEST_F(IngestTest, CellsFilesAreForTheirOwnerAlone) {
  names_.seq = "seq";
  Result<Ingest> in = open(write("in.csv", std::string(kStops) + "u,1,0,1.5,10.5\nu,1,1,3.5,30.5\n"));
  ASSERT_TRUE(in);
  write("there.parquet", "something that all may read");
  const mode_t before = umask(0);
  for (const char* name : {"new.parquet", "there.parquet"}) {
    EXPECT_TRUE(in->write_cells(path(name)));
    struct stat facts{};
    ASSERT_EQ(stat(path(name).c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0600U) << name;
  }
  umask(before);
}

TEST_F(IngestTest, CellsFilesSayWhatTheyAre) {
  names_.seq = "seq";
  request_.max_trips_per_user = 3;
  Result<Ingest> in = open(write("in.csv", std::string(kStops) + "u,1,0,1.5,10.5\nu,1,1,3.5,30.5\n"));
  ASSERT_TRUE(in);
  ASSERT_TRUE(in->write_cells(path("c.parquet")));
  const auto facts = read_cells_facts(path("c.parquet"));
  ASSERT_TRUE(facts && *facts);
  EXPECT_EQ((*facts)->parts, in->parts());
  EXPECT_EQ((*facts)->max_trips_per_user, 3U);
  EXPECT_EQ(cells_of(read_matrix(path("c.parquet"), in->parts()[0].domain)->matrix), (Cells{{{10, 1, 30, 3}, 1}}));
  EXPECT_FALSE(*read_cells_facts(write("a.csv", "a0\n")));
  request_.max_trips_per_user.reset();
  in = open(path("in.csv"));
  ASSERT_TRUE(in->write_cells(path("t.parquet")));
  EXPECT_FALSE((*read_cells_facts(path("t.parquet")))->max_trips_per_user);
}

}  // namespace
}  // namespace stopover
