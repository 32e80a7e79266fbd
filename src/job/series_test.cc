// A series as a job: one reading, a release for each period with noise of its own, a ledger of periods.
#include "job/series.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "job/open_series.h"
#include "job/publish_job.h"
#include "job/reports.h"
#include "release_io/release_io.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SeriesTest : public testing::Test {
 protected:
  SeriesTest() : folder_(testing::TempDir() + "series-XXXXXX") {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
    values_ = {{"input", path("in.csv")},
               {"shape_of", std::string("trips")},
               {"time", std::string("began")},
               {"bbox", std::string("0,0,4,4")},
               {"grid", std::string("4x4")},
               {"unit", std::string("trip")},
               {"stops", std::string("first")},
               {"mechanism", std::string("identity")},
               {"epsilon", std::string("100")},  // so that counts are as they are
               {"ledger", path("city.ledger")},
               {"state", path("state")},
               {"output", path("city")},
               {"budget_per_period", std::string("100")},
               {"period", std::string("month:2019-01..2019-03")},
               {"test_key", std::string("series")}};
  }
  ~SeriesTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  // So many trips in cell 1 of each month, all by one user.
  void write_rows(const std::vector<int>& trips_of_months, const std::string& more = "") const {
    std::ofstream out(path("in.csv"));
    out << "uid,began,o_lat,o_lng\n";
    for (std::size_t month = 0; month < trips_of_months.size(); ++month) {
      for (int i = 0; i < trips_of_months[month]; ++i)
        out << fmt::format("u,2019-{:02}-{:02},1.5,1.5\n", month + 1, i % 28 + 1);
    }
    out << more;
  }
  Result<Published> run(const std::map<std::string, std::string>& more = {}, const Observer& observer = {}) {
    FieldValues values = values_;
    for (const auto& [name, value] : more) value.empty() ? void(values.erase(name)) : void(values[name] = value);
    if (more.contains("append")) values["append"] = true;
    if (more.contains("one_release")) values["one_release"] = true;
    if (more.contains("independent")) values["independent"] = true;
    const Result<PublishSpec> spec = read_publish(values);
    if (!spec) return spec.error();
    return run_publish(*spec, observer, [](const std::string& name) { return Result<ReleaseKey>(test_key(name)); });
  }
  // The counts of all cells.
  std::vector<std::int64_t> counts(const std::string& release) const {
    const Result<Release> read = read_release(path(release), 1);
    if (!read) return {};
    return read->tables[0].count;
  }
  std::int64_t trips(const std::string& release) const {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts(release)) sum += count;
    return sum;
  }
  LedgerChain chain() const { return *Ledger::read(*posix_file_system(), path("city.ledger"), path("state/stopover")); }
  template <typename T>
  static void expect_refused(const Result<T>& result, Failure failure, const std::string& words) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().failure, failure) << result.error().message;
    EXPECT_THAT(result.error().message, HasSubstr(words));
  }

  std::string folder_;
  FieldValues values_;
};

TEST_F(SeriesTest, EveryPeriodHasARelease) {
  write_rows({30, 20, 10, 5}, "u,never,1.5,1.5\n");
  const Result<Published> published = run();
  ASSERT_TRUE(published) << published.error().message;
  EXPECT_EQ(trips("city/2019-01.odr"), 30);
  EXPECT_EQ(trips("city/2019-02.odr"), 20);
  EXPECT_EQ(trips("city/2019-03.odr"), 10);
  EXPECT_FALSE(fs::exists(path("city/2019-04.odr")));
  EXPECT_EQ(chain().periods->closed.size(), 3U);
  EXPECT_EQ(chain().reserved, 0U);
}

TEST_F(SeriesTest, NoTwoPeriodsHaveTheSameNoise) {
  write_rows({30, 30, 30});
  ASSERT_TRUE(run({{"epsilon", "0.1"}}));
  const std::vector<std::int64_t> first = counts("city/2019-01.odr"), second = counts("city/2019-02.odr");
  ASSERT_GE(first.size(), 16U);
  EXPECT_NE(first, second) << "the same noise twice: their difference would be the truth";
  EXPECT_NE(second, counts("city/2019-03.odr"));
}

// Two stops on a map, so that releases lean on those before them.
class LeaningSeriesTest : public SeriesTest {
 protected:
  LeaningSeriesTest() {
    values_.erase("stops");
    values_["mechanism"] = std::string("anchor");
    values_["grid"] = std::string("32x32");
    values_["epsilon"] = std::string("1");
    values_["budget_per_period"] = std::string("1");
    values_["probe_share"] = std::string("0");
    std::ofstream out(path("in.csv"));
    out << "began,o_lat,o_lng,d_lat,d_lng\n";
    for (int i = 0; i < 6000; ++i) {
      out << fmt::format("2019-{:02}-10,{},{},{},{}\n", i % 3 + 1, (i * 7 % 11) * 0.3, (i * 5 % 7) * 0.5,
                         (i * 3 % 5) * 0.7, (i % 13) * 0.3);
    }
  }
  std::string mark(const std::string& release, const std::string& name = "history") const {
    const Result<Release> read = read_release(path(release), 1);
    EXPECT_TRUE(read);
    for (const auto& [key, value] : read->params) {
      if (key == name) return value;
    }
    return "";
  }
  std::string content(const std::string& release) const { return *content_sha256(*read_release(path(release), 1)); }
};

TEST_F(LeaningSeriesTest, NamesWhatItLeansOn) {
  const Result<Published> published = run();
  ASSERT_TRUE(published) << published.error().message;
  EXPECT_EQ(mark("city/2019-01.odr"), "");
  EXPECT_EQ(mark("city/2019-02.odr"), "2019-01:" + content("city/2019-01.odr"));
  EXPECT_EQ(mark("city/2019-03.odr"),
            "2019-01:" + content("city/2019-01.odr") + ",2019-02:" + content("city/2019-02.odr"));
  const Result<Randomness> verified = verify_release(path("city/2019-03.odr"), 1, Accept::repeatable);
  EXPECT_TRUE(verified) << verified.error().message;
}

TEST_F(LeaningSeriesTest, OnNoLaterPeriodAndOnNoneIfTold) {
  ASSERT_TRUE(run({{"period", "month:2019-03"}}));
  ASSERT_TRUE(run({{"period", "month:2019-02"}, {"append", "yes"}}));
  EXPECT_EQ(mark("city/2019-02.odr"), "") << "March came first, but is later";
  ASSERT_TRUE(run({{"period", "month:2019-01..2019-02"},
                   {"independent", "yes"},
                   {"output", path("alone")},
                   {"ledger", path("other.ledger")}}));
  EXPECT_EQ(mark("alone/2019-02.odr"), "");
}

// What a release leans on is in the releases alone: a copy of the folder gives the same bits.
TEST_F(LeaningSeriesTest, TheStateIsTheReleases) {
  ASSERT_TRUE(run({{"period", "month:2019-01..2019-02"}}));
  for (const char* name : {"city", "city.ledger", "state"}) {
    fs::copy(path(name), path(std::string("copy of ") + name), fs::copy_options::recursive);
  }
  const std::map<std::string, std::string> third = {
      {"period", "month:2019-03"}, {"append", "yes"}, {"test_key", "third"}};
  ASSERT_TRUE(run(third));
  std::map<std::string, std::string> again = third;
  again["output"] = path("copy of city");
  again["ledger"] = path("copy of city.ledger");
  again["state"] = path("copy of state");
  const Result<Published> published = run(again);
  ASSERT_TRUE(published) << published.error().message;
  EXPECT_EQ(read_release(path("city/2019-03.odr"), 1)->tables,
            read_release(path("copy of city/2019-03.odr"), 1)->tables);
  EXPECT_FALSE(mark("city/2019-03.odr").empty());
}

TEST_F(LeaningSeriesTest, AnEarlierReleaseThatIsDamagedIsRefusedBeforeAnythingIsSpent) {
  ASSERT_TRUE(run({{"period", "month:2019-01"}}));
  std::ofstream(path("city/2019-01.odr/release.json"), std::ios::app) << " ";
  const Result<Published> next = run({{"period", "month:2019-02"}, {"append", "yes"}});
  ASSERT_FALSE(next);
  EXPECT_THAT(next.error().message, HasSubstr("With `independent`"));
  EXPECT_TRUE(run({{"period", "month:2019-02"}, {"append", "yes"}, {"independent", "yes"}}));
}

// Of a public table: what the first release leans on, told by its hash; the same key and table give the same bits.
TEST_F(LeaningSeriesTest, ThePublicTableComesFirst) {
  const auto write_table = [&](const std::string& name, double shift) {
    std::ofstream out(path(name));
    out << "o_lat,o_lng,d_lat,d_lng,weight\n";
    for (int i = 0; i < 300; ++i)
      out << fmt::format("{},{},{},{},{}\n", (i * 7 % 11) * 0.3 + shift, (i * 5 % 7) * 0.5, (i * 3 % 5) * 0.7,
                         (i % 13) * 0.3, 0.5 + i % 3);
  };
  write_table("od.csv", 0);
  write_table("other.csv", 0.01);
  const std::map<std::string, std::string> first = {{"period", "month:2019-01..2019-02"}, {"prior", path("od.csv")}};
  const Result<Published> published = run(first);
  ASSERT_TRUE(published) << published.error().message;
  const std::string hash = mark("city/2019-01.odr", "prior");
  EXPECT_THAT(hash, testing::MatchesRegex("public table:[0-9a-f]+"));
  EXPECT_EQ(mark("city/2019-02.odr", "prior"), hash);
  EXPECT_EQ(mark("city/2019-02.odr"), "2019-01:" + content("city/2019-01.odr"));
  EXPECT_TRUE(verify_release(path("city/2019-02.odr"), 1, Accept::repeatable));
  const auto again = [&](const std::string& name, const std::map<std::string, std::string>& more) {
    std::map<std::string, std::string> fields = first;
    fields["output"] = path(name);
    fields["ledger"] = path(name + ".ledger");
    for (const auto& [field, value] : more) fields[field] = value;
    const Result<Published> made = run(fields);
    EXPECT_TRUE(made) << made.error().message;
    return read_release(path(name + "/2019-01.odr"), 1)->tables;
  };
  const std::vector<Table> tables = read_release(path("city/2019-01.odr"), 1)->tables;
  EXPECT_EQ(again("same", {}), tables);
  EXPECT_EQ(again("alone", {{"independent", "yes"}}), tables) << "a table is no earlier release";
  EXPECT_EQ(mark("alone/2019-02.odr"), "");
  again("other", {{"prior", path("other.csv")}});
  EXPECT_NE(mark("other/2019-01.odr", "prior"), hash);
  // What cannot be used is refused before anything is spent.
  std::ofstream(path("bad.csv")) << "o_lat,o_lng,d_lat,d_lng\n50,50,50,50\n";
  expect_refused(run({{"prior", path("bad.csv")}, {"output", path("bad")}, {"ledger", path("bad.ledger")}}),
                 Failure::bad_input, "another city");
  expect_refused(run({{"prior", path("od.csv")},
                      {"mechanism", "daf-entropy"},
                      {"output", path("bad")},
                      {"ledger", path("bad.ledger")}}),
                 Failure::usage, "anchor");
  EXPECT_FALSE(fs::exists(path("bad.ledger")));
}

TEST_F(LeaningSeriesTest, DayTypesHaveReleasesOfTheirOwnAtOnePrice) {
  const std::map<std::string, std::string> types = {{"period", "month:2019-01..2019-03"},
                                                    {"day_type", "weekday,weekend"}};
  std::ofstream(path("in.csv"), std::ios::app) << "2019-01-05,1,1,1,1\n2019-01-06,1,1,1,1\n2019-01-07,1,1,1,1\n";
  const Result<Published> published = run(types);
  ASSERT_TRUE(published) << published.error().message;
  EXPECT_EQ(published->releases()[1], path("city/2019-01/weekend.odr"));
  EXPECT_EQ(chain().periods->spent_on(*parse_period("2019-01")), kTicksPerEpsilon);
  EXPECT_EQ(mark("city/2019-01/weekday.odr", "day_type"), "weekday");
  EXPECT_EQ(mark("city/2019-01/weekend.odr", "one_epsilon_for_day_types"), "weekday,weekend");
  EXPECT_EQ(mark("city/2019-02/weekend.odr"), "2019-01:" + content("city/2019-01/weekend.odr"))
      << "weekends lean on weekends";
  // All of it is on the tenth: a Thursday, two Sundays.
  const auto about = [&](const std::string& release) { return read_release(path(release), 1)->tables[0].estimate[0]; };
  EXPECT_NEAR(about("city/2019-01/weekday.odr"), 2001, 60);
  EXPECT_NEAR(about("city/2019-01/weekend.odr"), 2, 60);
  EXPECT_NEAR(about("city/2019-02/weekend.odr"), 2000, 60);
  // Each day type is a series, by its name.
  EXPECT_TRUE(is_series_folder(path("city/weekday")));
  EXPECT_FALSE(is_series_folder(path("city/saturday")));
  const Result<OpenSeries> weekends = OpenSeries::open(path("city/weekend"), {});
  ASSERT_TRUE(weekends) << weekends.error().message;
  EXPECT_EQ(weekends->members.size(), 3U);
  expect_refused(OpenSeries::open(path("city"), {}), Failure::bad_input, "Name which of them");
  expect_refused(run({{"day_type", "weekday"}, {"period", "day:2019-01-10"}, {"output", path("b")}}), Failure::usage,
                 "not days");
  expect_refused(run({{"day_type", "weekday,monday"}, {"output", path("b")}}), Failure::usage, "of another one");
  expect_refused(run({{"day_type", "weekday"}, {"one_release", "yes"}, {"output", path("b.odr")}}), Failure::usage,
                 "`one_release`");
}

TEST_F(SeriesTest, GoesOnAndDropsWhatIsLate) {
  write_rows({30, 20, 10});
  ASSERT_TRUE(run({{"period", "month:2019-01..2019-02"}}));
  const std::string before = chain().head().hash;
  write_rows({33, 22, 10});  // late rows of January and February
  expect_refused(run(), Failure::output_exists, "`append`");
  expect_refused(run({{"period", "month:2019-01..2019-02"}, {"append", "yes"}}), Failure::privacy, "published already");
  EXPECT_EQ(chain().head().hash, before);
  std::vector<std::string> told;
  Observer observer;
  observer.private_note = [&](std::string_view line) { told.emplace_back(line); };
  const Result<Published> published = run({{"append", "yes"}}, observer);
  ASSERT_TRUE(published) << published.error().message;
  ASSERT_EQ(published->periods.size(), 1U);
  EXPECT_EQ(trips("city/2019-01.odr"), 30);
  EXPECT_EQ(trips("city/2019-03.odr"), 10);
  EXPECT_THAT(told, testing::Contains(HasSubstr("55 rows of closed periods")));
  // Elsewhere, too, a closed period stays closed.
  expect_refused(run({{"output", path("again")}, {"epsilon", "1"}}), Failure::privacy, "2019-01 is closed");
}

// As a kill between the release and the record of its end leaves them.
TEST_F(SeriesTest, ARecordThatIsMissingIsMadeUpForAndItsPeriodStaysAsItIs) {
  write_rows({30, 20, 10});
  values_["epsilon"] = std::string("40");
  ASSERT_TRUE(run({{"period", "month:2019-01..2019-02"}}));
  std::ifstream in(path("city.ledger"));
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  in.close();
  fs::resize_file(path("city.ledger"), text.rfind('\n', text.size() - 2) + 1);  // without the last CLOSE
  fs::remove_all(path("state"));
  ASSERT_FALSE(chain().periods->closed.contains(*parse_period("2019-02")));
  const Result<std::string> told = calendar_text("city.ledger", chain(), Paper{});
  ASSERT_TRUE(told);
  EXPECT_THAT(*told, HasSubstr("not finished: its release may be out"));
  EXPECT_THAT(*calendar_json("city.ledger", chain()), HasSubstr("\"unfinished\": true"));
  const std::map<std::string, std::string> second = {{"period", "month:2019-02"}, {"output", path("other")}};
  expect_refused(run(second), Failure::privacy, "its release may be out");
  EXPECT_FALSE(fs::exists(path("other")));
  expect_refused(run({{"period", "month:2019-02..2019-04"}, {"output", path("other")}}), Failure::privacy,
                 "Without 2019-02: `period month:2019-03..2019-04`");
  expect_refused(run({{"period", "month:2019-01..2019-02"}, {"append", "yes"}}), Failure::privacy,
                 "had no record of the end of 2019-02: it has now");
  EXPECT_TRUE(chain().periods->closed.contains(*parse_period("2019-02")));
  EXPECT_TRUE(chain().open.empty());
  expect_refused(run(second), Failure::privacy, "2019-02 is closed");
}

TEST_F(SeriesTest, AYearThatIsUsedUpIsRefusedBeforeAnythingIsSpent) {
  write_rows({3, 2, 1});
  const std::map<std::string, std::string> year = {{"budget_per_year", "250"}};
  expect_refused(run(year), Failure::privacy, "would come to 300 of 250");
  EXPECT_FALSE(fs::exists(path("city.ledger")));
  EXPECT_FALSE(fs::exists(path("city")));
  ASSERT_TRUE(run({{"budget_per_year", "250"}, {"period", "month:2019-01..2019-02"}}));
  expect_refused(run({{"append", "yes"}}), Failure::privacy, "would come to 300 of 250");
  EXPECT_TRUE(run({{"append", "yes"}, {"period", "month:2020-01"}})) << "a year later";
}

TEST_F(SeriesTest, WhatIsInterruptedIsAllOrNothingPerPeriod) {
  write_rows({3, 2, 1});
  Observer observer;
  int building = 0;
  observer.phase = [&](std::string_view name) { building += name == "building the release" ? 1 : 0; };
  observer.interrupted = [&] { return building == 2; };
  expect_refused(run({}, observer), Failure::interrupted, "Published before it: 1 of 3");
  EXPECT_EQ(trips("city/2019-01.odr"), 3);
  EXPECT_FALSE(fs::exists(path("city/2019-02.odr")));
  EXPECT_EQ(chain().periods->closed.size(), 1U);
  EXPECT_EQ(chain().periods->spent_on(*parse_period("2019-02")), 100 * kTicksPerEpsilon) << "spent stays spent";
  EXPECT_EQ(chain().periods->spent_on(*parse_period("2019-03")), 0U);
  expect_refused(run({{"append", "yes"}}), Failure::privacy, "2019-02 has 0 of 100 left");
  expect_refused(run({{"append", "yes"}}), Failure::privacy, "Without 2019-02: `period month:2019-03`");
  EXPECT_TRUE(run({{"append", "yes"}, {"period", "month:2019-03"}}));
}

// One folder has one form: else a question to it would tell of some of its periods alone.
TEST_F(SeriesTest, AFolderHasOneReleaseOfAPeriodOrSeveral) {
  write_rows({60, 60, 60});
  const std::map<std::string, std::string> types = {{"day_type", "weekday,weekend"}}, none;
  for (const bool types_first : {true, false}) {
    const std::string folder = types_first ? "types" : "all", ledger = folder + ".ledger";
    const auto words = [&](const std::string& month, std::map<std::string, std::string> more) {
      more.insert({{"output", path(folder)}, {"ledger", path(ledger)}, {"period", "month:" + month}});
      return more;
    };
    ASSERT_TRUE(run(words("2019-01", types_first ? types : none)));
    std::map<std::string, std::string> mixed = words("2019-02", types_first ? none : types);
    mixed["append"] = "yes";
    expect_refused(run(mixed), Failure::usage, types_first ? "2019-01/weekday.odr" : "2019-01.odr");
    const LedgerChain after = *Ledger::read(*posix_file_system(), path(ledger), path("state/stopover"));
    EXPECT_EQ(after.periods->spent_on(*parse_period("2019-02")), 0U) << "nothing was spent";
    std::map<std::string, std::string> same = words("2019-02", types_first ? types : none);
    same["append"] = "yes";
    EXPECT_TRUE(run(same));
    std::map<std::string, std::string> weekdays = words("2019-03", {{"day_type", "weekday"}});
    weekdays["append"] = "yes";
    expect_refused(run(weekdays), Failure::usage, types_first ? "several releases" : "releases of all days");
  }
  // As of a folder that was put together by hand.
  fs::copy(path("all/2019-01.odr"), path("types/2019-03.odr"), fs::copy_options::recursive);
  for (const auto& [asked, told] : {std::pair{"types", "types/weekday is the series of these"},
                                    {"types/weekday", "also holds releases of whole periods"}}) {
    const Result<OpenSeries> series = OpenSeries::open(path(asked), {});
    ASSERT_TRUE(series) << series.error().message;
    ASSERT_EQ(series->notes.size(), 1U);
    EXPECT_THAT(series->notes[0], HasSubstr(told));
  }
  fs::copy(path("types/2019-02/weekend.odr"), path("all/2019-04.odr"), fs::copy_options::recursive);
  fs::remove_all(path("all/2019-02.odr"));
  const Result<OpenSeries> mixed = OpenSeries::open(path("all"), {});
  ASSERT_TRUE(mixed) << mixed.error().message;
  ASSERT_EQ(mixed->notes.size(), 1U);
  EXPECT_THAT(mixed->notes[0], HasSubstr("all days (2019-01), weekend (2019-02)"));
}

TEST_F(SeriesTest, OneReleaseOfSeveralPeriodsIsChargedToEach) {
  write_rows({30, 20, 10});
  ASSERT_TRUE(run({{"epsilon", "60"}}));
  const Result<Published> whole = run({{"epsilon", "40"}, {"one_release", "yes"}, {"output", path("quarter.odr")}});
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(trips("quarter.odr"), 60);
  for (const char* month : {"2019-01", "2019-02", "2019-03"})
    EXPECT_EQ(chain().periods->spent_on(*parse_period(month)), 100 * kTicksPerEpsilon);
  expect_refused(run({{"epsilon", "1"}, {"one_release", "yes"}, {"output", path("more.odr")}}), Failure::privacy,
                 "2019-01 has 0 of 100 left");
}

TEST_F(SeriesTest, APersonsTripsAreBoundedForEachPeriod) {
  write_rows({30, 20, 1});
  const std::map<std::string, std::string> month = {
      {"unit", "user-month"}, {"user", "uid"}, {"max_trips_per_user", "4"}, {"epsilon", "100"}};
  std::map<std::string, std::string> other = month;
  other["unit"] = "user";
  expect_refused(run(other), Failure::usage, "`unit user-month`");
  other["unit"] = "user-week";
  expect_refused(run(other), Failure::usage, "`unit user-month`");
  const Result<Published> published = run(month);
  ASSERT_TRUE(published) << published.error().message;
  EXPECT_EQ(trips("city/2019-01.odr"), 4);
  EXPECT_EQ(trips("city/2019-02.odr"), 4);
  EXPECT_EQ(trips("city/2019-03.odr"), 1);
  EXPECT_THAT(published->who(), HasSubstr("one person does in one month, with up to 4 trips"));
  expect_refused(run({{"output", path("trips")}}), Failure::privacy, "other terms");
  // Together too: four of each month.
  other = month;
  other["one_release"] = "yes";
  other["output"] = path("quarter.odr");
  other["ledger"] = path("other.ledger");
  const Result<Published> whole = run(other);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(trips("quarter.odr"), 9);
  EXPECT_THAT(whole->who(), HasSubstr("epsilon 300 for a person in all 3 months"));
}

TEST_F(SeriesTest, PeriodsAreDeclared) {
  write_rows({30, 20, 10});
  expect_refused(run({{"period", "month"}}), Failure::privacy, "must be declared, not taken from the data");
  expect_refused(run({{"period", "year"}}), Failure::usage, "day, week, month or quarter");
  expect_refused(run({{"period", "week:2019-01"}}), Failure::usage, "does not name weeks");
  expect_refused(run({{"output", path("city.odr")}}), Failure::usage, "must not end in .odr");
  expect_refused(run({{"budget_per_period", ""}}), Failure::usage, "`budget_per_period` is required");
  expect_refused(run({{"period", ""}}), Failure::usage, "goes with `period`");
  EXPECT_FALSE(fs::exists(path("city.ledger")));
  const Result<Published> clipped = run(
      {{"period", "month"}, {"since", "2019-01-11"}, {"until", "2019-02-10"}, {"where", "CAST(o_lat AS DOUBLE) > 1"}});
  ASSERT_TRUE(clipped) << clipped.error().message;
  EXPECT_EQ(trips("city/2019-01.odr"), 18);
  EXPECT_EQ(trips("city/2019-02.odr"), 10);
  // Readers can tell that these are pieces, and of which rows.
  using Marks = std::map<std::string, std::string>;
  const auto cuts = [&](const std::string& release) {
    Marks found;
    const Result<Release> read = read_release(path(release), 1);
    for (const auto& [name, value] : read->params) {
      if (name == "since" || name == "until" || name == "where") found[name] = value;
    }
    return found;
  };
  const std::string where = "CAST(o_lat AS DOUBLE) > 1";
  EXPECT_EQ(cuts("city/2019-01.odr"), (Marks{{"since", "2019-01-11"}, {"where", where}}));
  EXPECT_EQ(cuts("city/2019-02.odr"), (Marks{{"until", "2019-02-10"}, {"where", where}}));
  const Result<Release> piece = read_release(path("city/2019-01.odr"), 1);
  EXPECT_THAT(info_text("city", *piece, "", Paper{}), HasSubstr("only those since 2019-01-11, where CAST(o_lat"));
  // Whole ones have none of it.
  ASSERT_TRUE(run({{"period", "month"}, {"since", "2019-03-01"}, {"until", "2019-03-31"}, {"append", "yes"}}));
  EXPECT_EQ(cuts("city/2019-03.odr"), Marks{});
  ASSERT_TRUE(run({{"period", "month:2019-04..2019-04"}, {"append", "yes"}})) << "a range of one";
}

}  // namespace
}  // namespace stopover
