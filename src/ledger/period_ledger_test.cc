// Ledgers of periods: what a period, a year and all of them may be charged, and that none of it is forgotten when a
// process dies at any step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ledger/ledger.h"
#include "testing/fake_file_system.h"

namespace stopover {
namespace {

const std::string kFile = "city.ledger";
const std::string kState = "home/state/stopover";
const std::string kNow = "2025-03-01T09:30:00Z";
const std::string kHash(64, 'c');

PeriodRule months(Ticks each, Ticks year = 0) { return {PeriodKind::month, "Europe/Berlin", "user-month", each, year}; }
std::optional<PeriodRange> at(const char* text) { return parse_period_range(text); }

Ledger opened(FileSystem& files, const std::optional<PeriodRule>& rule = {}, std::optional<Ticks> budget = {},
              const std::string& state = "") {
  Result<Ledger> ledger = Ledger::open(files, kFile, budget, state, rule);
  STOPOVER_CHECK(static_cast<bool>(ledger), ledger.error().message.c_str());
  return std::move(*ledger);
}

Reservation reserved(Ledger& ledger, Ticks ticks, const char* periods) {
  const Result<Reservation> made = ledger.reserve(ticks, "anchor", kNow, "", "", at(periods));
  STOPOVER_CHECK(static_cast<bool>(made), made.error().message.c_str());
  return *made;
}

template <typename T>
void expect_refused(const Result<T>& result, const std::string& words) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().failure, Failure::privacy) << result.error().message;
  EXPECT_THAT(result.error().message, testing::HasSubstr(words));
}

TEST(PeriodLedger, EachPeriodHasAnAllowanceOfItsOwn) {
  FakeFileSystem files(1);
  Ledger ledger = opened(files, months(100));
  reserved(ledger, 60, "2019-01");
  reserved(ledger, 100, "2019-02");
  expect_refused(ledger.reserve(41, "anchor", kNow, "", "", at("2019-01")), "2019-01 has 0.00000004 of 0.0000001 left");
  reserved(ledger, 40, "2019-01");
  expect_refused(ledger.reserve(1, "anchor", kNow, "", "", at("2019-01")), "2019-01 has 0 of");
  EXPECT_EQ(ledger.chain().spent, 200U);
  expect_refused(ledger.reserve(1, "anchor", kNow), "say which are published");
  expect_refused(ledger.reserve(1, "anchor", kNow, "", "", at("2019-W05")), "it counts by the month");
}

TEST(PeriodLedger, AReleaseOverSeveralPeriodsIsChargedToEach) {
  FakeFileSystem files(1);
  Ledger ledger = opened(files, months(100), Ticks{700});
  const Reservation january = reserved(ledger, 60, "2019-01");
  ASSERT_TRUE(ledger.close(january, kHash));
  const Reservation quarter = reserved(ledger, 40, "2019-01..2019-03");
  ASSERT_TRUE(ledger.commit(quarter, kHash));
  EXPECT_EQ(ledger.chain().spent, 180U);
  EXPECT_EQ(ledger.chain().reserved, 0U);
  EXPECT_EQ(ledger.chain().periods->spent_on(*parse_period("2019-01")), 100U);
  EXPECT_EQ(ledger.chain().periods->spent_on(*parse_period("2019-03")), 40U);
  expect_refused(ledger.reserve(1, "anchor", kNow, "", "", at("2019-01..2019-02")), "2019-01 has 0 of");
  expect_refused(ledger.reserve(100, "anchor", kNow, "", "", at("2020-01..2020-06")), "has left");
  reserved(ledger, 100, "2020-01..2020-05");
}

TEST(PeriodLedger, AClosedPeriodIsNeverOpenedAgain) {
  FakeFileSystem files(1);
  {
    Ledger ledger = opened(files, months(100));
    ASSERT_TRUE(ledger.close(reserved(ledger, 10, "2019-01"), kHash));
    expect_refused(ledger.reserve(10, "anchor", kNow, "", "", at("2019-01")), "2019-01 is closed");
  }
  Ledger again = opened(files, months(100));
  EXPECT_TRUE(again.chain().periods->closed.contains(*parse_period("2019-01")));
  EXPECT_EQ(again.chain().periods->open_to(*parse_period("2019-01")), 0U);
  EXPECT_EQ(again.chain().periods->open_to(*parse_period("2019-02")), 100U);
  expect_refused(again.reserve(10, "anchor", kNow, "", "", at("2019-01")), "2019-01 is closed");
  // A file that says otherwise is not one that this program wrote.
  std::string text = *files.read_file(kFile);
  LedgerRecord forged{RecordKind::reserve, again.chain().next_number, 10, 0, kNow, "anchor"};
  forged.words = {{"at", "2019-01"}, {"nonce", std::string(32, 'a')}};
  text += encode_record(forged, again.chain().next_previous);
  EXPECT_FALSE(read_chain(text, kFile));
}

TEST(PeriodLedger, NoYearMayBeChargedMoreWhereverItBegins) {
  FakeFileSystem files(1);
  Ledger ledger = opened(files, months(100, 250));
  reserved(ledger, 100, "2019-06");
  reserved(ledger, 100, "2019-12");
  expect_refused(ledger.reserve(51, "anchor", kNow, "", "", at("2020-05")), "the year from 2019-06 to 2020-05");
  EXPECT_EQ(ledger.chain().periods->open_to(*parse_period("2020-05")), 50U);
  EXPECT_EQ(ledger.chain().periods->open_to(*parse_period("2020-06")), 100U);
  EXPECT_EQ(ledger.chain().periods->open_to(*parse_period("2018-12")), 100U);
  expect_refused(ledger.reserve(51, "anchor", kNow, "", "", at("2019-01")), "would come to");
  reserved(ledger, 50, "2019-03");
  // Also of a year that this release fills by itself.
  expect_refused(ledger.reserve(30, "anchor", kNow, "", "", at("2025-01..2025-12")), "would come to");
  reserved(ledger, 20, "2025-01..2025-12");
}

TEST(PeriodLedger, TermsAreForGood) {
  FakeFileSystem files(1);
  EXPECT_EQ(Ledger::open(files, kFile, {}, "", months(0)).error().failure, Failure::usage);
  EXPECT_FALSE(files.exists(kFile));
  (void)opened(files, months(100, 250));
  EXPECT_EQ(opened(files).chain().periods->rule, months(100, 250));
  EXPECT_EQ(opened(files, months(0)).chain().periods->rule, months(100, 250)) << "what is not asked for is as it is";
  expect_refused(Ledger::open(files, kFile, {}, "", months(101)), "other terms");
  expect_refused(Ledger::open(files, kFile, {}, "", months(100, 251)), "other terms");
  PeriodRule other = months(100, 250);
  other.timezone = "UTC";
  expect_refused(Ledger::open(files, kFile, {}, "", other), "`timezone Europe/Berlin`");
  other = months(100, 250);
  other.unit = "trip";
  expect_refused(Ledger::open(files, kFile, {}, "", other), "`unit user-month`");
  expect_refused(Ledger::open(files, kFile, Ticks{7}, ""), "no limit, not");
}

TEST(PeriodLedger, ALedgerWithoutPeriodsGoesOnWithoutThem) {
  for (const std::uint64_t format : {1U, 2U}) {
    FakeFileSystem files(1);
    LedgerRecord genesis{RecordKind::genesis, 1, 1000, format, "-", std::string(32, 'a')};
    ASSERT_TRUE(files.write_file(kFile, encode_record(genesis, std::string(64, '0'))));
    expect_refused(Ledger::open(files, kFile, {}, "", months(100)), "one budget for all time");
    Ledger ledger = opened(files);
    expect_refused(ledger.reserve(1, "anchor", kNow, "", "", at("2019-01")), "one budget for all time");
    ASSERT_TRUE(ledger.reserve(1, "anchor", kNow));
    EXPECT_EQ(ledger.chain().records.front().ref, format);
  }
}

TEST(PeriodLedger, ATornReservationIsChargedToItsPeriodOnceThatIsLegible) {
  FakeFileSystem files(1);
  {
    Ledger ledger = opened(files, months(100));
    reserved(ledger, 60, "2019-01..2019-02");
  }
  const std::string text = *files.read_file(kFile);
  const std::size_t legible = text.find(' ', text.find(" at=") + 4) + 1;
  for (std::size_t cut = text.find('\n') + 2; cut < text.size(); ++cut) {
    ASSERT_TRUE(files.write_file(kFile, text.substr(0, cut)));
    Ledger ledger = opened(files);
    ASSERT_EQ(ledger.chain().spent, cut < legible ? 0U : 120U) << text.substr(0, cut);
    reserved(ledger, 7, "2019-07");
    const Result<LedgerChain> after = read_chain(*files.read_file(kFile), kFile);
    ASSERT_TRUE(after) << text.substr(0, cut);
    EXPECT_EQ(after->periods->spent_on(*parse_period("2019-02")), cut < legible ? 0U : 60U);
    EXPECT_EQ(after->periods->spent_on(*parse_period("2019-07")), 7U);
  }
}

// What was acknowledged for a period stays, what was never asked for does not appear, and a closed one stays closed.
TEST(PeriodLedger, SurvivesDeathAtEveryStep) {
  std::uint64_t steps = 0;
  const auto live = [](FakeFileSystem& files, const std::string& state, std::map<Period, Ticks>& told,
                       std::map<Period, Ticks>& asked, std::set<Period>& closed) {
    Result<Ledger> first = Ledger::open(files, kFile, {}, state, months(1000, 5000));
    if (!first) return files.dead();
    Ledger& ledger = *first;
    for (const auto& [period, ticks] : told) {
      if (ledger.chain().periods->spent_on(period) < ticks) return false;
    }
    for (const auto& [period, ticks] : ledger.chain().periods->spent) {
      if (ticks > asked[period]) return false;
    }
    for (const Period& period : closed) {
      if (!ledger.chain().periods->closed.contains(period)) return false;
    }
    for (const char* name : {"2019-01", "2019-02", "2019-03..2019-04"}) {
      const PeriodRange range = *at(name);
      if (!may_reserve(ledger.chain(), kFile, 9, range)) continue;
      for (Period p = range.first; p <= range.last; p = p.plus(1)) asked[p] += 9;
      const Result<Reservation> r = ledger.reserve(9, "anchor", kNow, "", "", range);
      if (!r) break;
      for (Period p = range.first; p <= range.last; p = p.plus(1)) told[p] += 9;
      if (range.size() > 1) continue;
      if (!ledger.close(*r, kHash)) break;
      closed.insert(range.first);
    }
    return true;
  };
  for (const std::string& state : {std::string(), kState}) {
    {
      FakeFileSystem files(7);
      std::map<Period, Ticks> told, asked;
      std::set<Period> closed;
      ASSERT_TRUE(live(files, state, told, asked, closed));
      ASSERT_EQ(closed.size(), 2U);
      steps = files.steps();
    }
    for (std::uint64_t n = 0; n <= steps; ++n) {
      for (std::uint64_t seed = 0; seed < 8; ++seed) {
        FakeFileSystem files(seed * 1000 + n);
        std::map<Period, Ticks> told, asked;
        std::set<Period> closed;
        files.die_after(n);
        ASSERT_TRUE(live(files, state, told, asked, closed));
        if (seed % 2 == 0) {
          files.end_process();
        } else {
          files.lose_power();
        }
        ASSERT_TRUE(live(files, state, told, asked, closed)) << "died after step " << n << ", seed " << seed;
      }
    }
  }
}

// Announced in the state folder, and lost before it came into the file: whoever opens it next pays for that period.
TEST(PeriodLedger, WhatWasAnnouncedIsChargedToItsPeriod) {
  int lost = 0;
  for (std::uint64_t n = 0; n < 60; ++n) {
    FakeFileSystem files(n);
    std::string id;
    {
      Ledger ledger = opened(files, months(100), {}, kState);
      id = ledger.head().id;
      files.die_after(n);
      (void)ledger.reserve(9, "anchor", kNow, "", "", at("2019-02..2019-03"));
    }
    files.end_process();
    const std::string kept = *files.read_file(kState + "/heads/" + id), text = *files.read_file(kFile);
    const std::string announced = kept.substr(kept.find('\n') + 1);
    if (announced.empty() || text.find("RESERVE") != std::string::npos) continue;
    ++lost;
    Ledger again = opened(files, months(100), {}, kState);
    EXPECT_EQ(again.chain().periods->spent_on(*parse_period("2019-02")), 9U) << announced;
    EXPECT_EQ(again.chain().periods->spent_on(*parse_period("2019-03")), 9U) << announced;
    EXPECT_EQ(again.chain().spent, 18U);
  }
  EXPECT_GT(lost, 0) << "no death fell in between";
}

}  // namespace
}  // namespace stopover
