#include "ledger/ledger.h"

#include <gtest/gtest.h>

#include "testing/fake_file_system.h"

namespace stopover {
namespace {

constexpr Ticks kAllowed = 1000;
const std::string kFile = "city.ledger";
const std::string kFolder = "home/state/stopover";
const std::string kNow = "2025-03-01T09:30:00Z";
const std::string kHash(64, 'c');

Ledger opened(FileSystem& files, std::optional<Ticks> budget = std::nullopt, const std::string& state = "") {
  Result<Ledger> ledger = Ledger::open(files, kFile, budget, state);
  STOPOVER_CHECK(static_cast<bool>(ledger), ledger.error().message.c_str());
  return std::move(*ledger);
}

template <typename T>
void expect_refused(const Result<T>& result, Failure failure, const std::vector<std::string>& words) {
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().failure, failure) << result.error().message;
  for (const std::string& word : words) {
    EXPECT_NE(result.error().message.find(word), std::string::npos) << result.error().message;
  }
}

TEST(Ledger, NewLedgerNeedsABudgetAndAnOldOneKeepsIt) {
  FakeFileSystem files(1);
  expect_refused(Ledger::open(files, kFile, std::nullopt), Failure::usage, {"`budget` is required", kFile});
  EXPECT_FALSE(files.exists(kFile));
  expect_refused(Ledger::open(files, kFile, 0), Failure::usage, {"`budget"});
  expect_refused(Ledger::open(files, kFile, kMaxTicks + 1), Failure::usage, {"`budget"});
  EXPECT_EQ(opened(files, 2 * kTicksPerEpsilon).chain().budget(), 2 * kTicksPerEpsilon);
  EXPECT_EQ(opened(files).chain().left(), 2 * kTicksPerEpsilon);
  EXPECT_EQ(opened(files, 2 * kTicksPerEpsilon).chain().left(), 2 * kTicksPerEpsilon);
  expect_refused(Ledger::open(files, kFile, 3 * kTicksPerEpsilon), Failure::privacy, {kFile + " is 2, not 3"});
  expect_refused(Ledger::open(files, kFile, 1), Failure::privacy, {"is 2, not 0.000000001"});
}

TEST(Ledger, ALedgerThatCannotBeMadeIsBadInputAndLeavesNothing) {
  FakeFileSystem files(1);
  expect_refused(Ledger::open(files, "no/such/city.ledger", kAllowed), Failure::bad_input, {"no/such/city.ledger"});
  EXPECT_FALSE(files.exists("no"));
}

TEST(Ledger, ReservesCommitsAborts) {
  FakeFileSystem files(1);
  Ledger ledger = opened(files, kAllowed);
  const Result<Reservation> a = ledger.reserve(100, "daf-entropy", kNow);
  ASSERT_TRUE(a);
  EXPECT_EQ(a->number, 2U);
  EXPECT_EQ(a->ticks, 100U);
  EXPECT_EQ(ledger.chain().spent, 100U);
  EXPECT_EQ(ledger.chain().reserved, 100U);
  const Result<Reservation> b = ledger.reserve(50, "a name\nwith a newline", kNow);
  ASSERT_TRUE(b);
  ASSERT_TRUE(ledger.commit(*a, kHash));
  EXPECT_EQ(ledger.chain().spent, 150U);
  EXPECT_EQ(ledger.chain().reserved, 50U);
  ASSERT_TRUE(ledger.abort(*b));
  EXPECT_EQ(ledger.chain().spent, 150U);
  EXPECT_EQ(ledger.chain().reserved, 50U);
  EXPECT_EQ(ledger.chain().left(), 850U);
  expect_refused(ledger.commit(*a, kHash), Failure::internal, {"reservation 2"});
  expect_refused(ledger.commit(*b, kHash), Failure::internal, {"reservation 3"});
  expect_refused(ledger.abort(Reservation{}), Failure::internal, {"reservation 0"});
  expect_refused(ledger.reserve(0, "eug", kNow), Failure::usage, {"above 0"});

  const Result<LedgerChain> shown = Ledger::read(files, kFile);
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->spent, 150U);
  ASSERT_EQ(shown->records.size(), 5U);
  EXPECT_EQ(shown->records[2].note, "a_name_with_a_newline");
  EXPECT_EQ(shown->records[3].note, kHash);
  EXPECT_EQ(shown->records[3].ref, 2U);
}

TEST(Ledger, NeverSpendsOneTickTooMuch) {
  FakeFileSystem files(1);
  Ledger ledger = opened(files, kAllowed);
  expect_refused(ledger.reserve(kAllowed + 1, "eug", kNow), Failure::privacy, {"0.000001001", "left: 0.000001 of"});
  ASSERT_TRUE(ledger.reserve(kAllowed - 1, "eug", kNow));
  const std::string before = files.content(kFile);
  expect_refused(ledger.reserve(2, "eug", kNow), Failure::privacy, {"0.000000002", "left: 0.000000001 of"});
  expect_refused(ledger.reserve(~Ticks{0}, "eug", kNow), Failure::privacy, {"left: 0.000000001 of"});
  EXPECT_EQ(files.content(kFile), before);
  ASSERT_TRUE(ledger.reserve(1, "eug", kNow));
  expect_refused(ledger.reserve(1, "eug", kNow), Failure::privacy, {"left: 0 of"});
}

TEST(Ledger, IsLockedWhileItLives) {
  FakeFileSystem files(1);
  {
    const Ledger ledger = opened(files, kAllowed);
    expect_refused(Ledger::open(files, kFile, std::nullopt), Failure::locked, {"locked"});
    EXPECT_TRUE(Ledger::read(files, kFile));  // showing it needs no lock
  }
  EXPECT_TRUE(Ledger::open(files, kFile, std::nullopt));
}

TEST(Ledger, ReadingOneThatIsNotThereIsBadInput) {
  FakeFileSystem files(1);
  expect_refused(Ledger::read(files, kFile), Failure::bad_input, {kFile});
  EXPECT_FALSE(files.exists(kFile));
}

TEST(Ledger, ReadingChangesNothing) {
  FakeFileSystem files(1);
  {
    EXPECT_TRUE(opened(files, kAllowed, kFolder).reserve(1, "eug", kNow));
  }
  files.content(kFile) += "3 RESERVE ticks=7 ref";
  const std::string before = files.content(kFile);
  const Result<LedgerChain> shown = Ledger::read(files, kFile, "elsewhere");
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->spent, 8U);
  EXPECT_EQ(files.content(kFile), before);
  EXPECT_FALSE(files.exists("elsewhere"));
}

TEST(Ledger, CorruptIsRefusedByEveryone) {
  FakeFileSystem files(1);
  {
    EXPECT_TRUE(opened(files, kAllowed).reserve(1, "eug", kNow));
  }
  files.content(kFile)[10] ^= 1;
  expect_refused(Ledger::open(files, kFile, kAllowed), Failure::privacy, {"corrupt", "line 1", kFile});
  expect_refused(Ledger::read(files, kFile), Failure::privacy, {"corrupt"});
  files.content(kFile).clear();
  expect_refused(Ledger::open(files, kFile, kAllowed), Failure::privacy, {"corrupt"});
}

TEST(Ledger, WitnessesTellAnOlderOrForkedLedger) {
  FakeFileSystem files(1);
  std::vector<LedgerHead> heads;
  std::vector<std::string> states;
  {
    Ledger ledger = opened(files, kAllowed);
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(ledger.reserve(10, "eug", kNow));
      heads.push_back(ledger.head());
      states.push_back(files.content(kFile));
      for (const LedgerHead& head : heads) EXPECT_TRUE(ledger.witness(head, "x.odr"));
    }
  }
  for (std::size_t back = 0; back < states.size(); ++back) {
    files.content(kFile) = states[back];  // cut exactly at a record's border: a well-formed ledger
    const Ledger ledger = opened(files);
    EXPECT_EQ(ledger.chain().spent, 10 * (back + 1));
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const Status witnessed = ledger.witness(heads[i], "x.odr");
      EXPECT_EQ(static_cast<bool>(witnessed), i <= back);
      if (!witnessed) expect_refused(witnessed, Failure::privacy, {"rolled back", "x.odr", kFile});
    }
  }
  files.content(kFile) = states[1];
  Ledger forked = opened(files);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(forked.reserve(20, "eug", kNow));
  EXPECT_TRUE(forked.witness(heads[1], "x.odr"));
  expect_refused(forked.witness(heads[2], "x.odr"), Failure::privacy, {"went its own way"});
  LedgerHead other = heads[0];
  other.id = std::string(32, 'e');
  expect_refused(forked.witness(other, "y.odr"), Failure::privacy, {"y.odr was paid from another ledger", other.id});
  expect_refused(forked.witness(LedgerHead{heads[0].id, 0, heads[0].hash}, "y.odr"), Failure::privacy, {});
}

TEST(Ledger, TheStateFolderTellsAnOlderLedgerCutAnywhere) {
  FakeFileSystem files(1);
  {
    Ledger ledger = opened(files, kAllowed, kFolder);
    const Result<Reservation> a = ledger.reserve(10, "eug", kNow);
    ASSERT_TRUE(a);
    ASSERT_TRUE(ledger.commit(*a, kHash));
    ASSERT_TRUE(ledger.reserve(20, "eug", kNow));
    EXPECT_EQ(files.content(kFolder + "/heads/" + ledger.head().id), format_head(ledger.head()) + "\n");
  }
  const std::string whole = files.content(kFile);
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    files.content(kFile) = whole.substr(0, size);
    expect_refused(Ledger::open(files, kFile, std::nullopt, kFolder), Failure::privacy, {kFile});
    expect_refused(Ledger::read(files, kFile, kFolder), Failure::privacy, {kFile});
  }
  files.content(kFile) = whole.substr(0, whole.size() - 1);  // only the newline: nothing is lost
  EXPECT_EQ(opened(files, kAllowed, kFolder).chain().spent, 30U);
}

TEST(Ledger, TheStateFolderTellsACopyThatWentItsOwnWay) {
  FakeFileSystem files(1);
  {
    EXPECT_TRUE(opened(files, kAllowed, kFolder).reserve(10, "eug", kNow));
  }
  const std::string copy = files.content(kFile);
  {
    EXPECT_TRUE(opened(files, kAllowed, kFolder).reserve(11, "eug", kNow));
  }
  files.content(kFile) = copy;
  {
    EXPECT_TRUE(opened(files, kAllowed, "").reserve(12, "eug", kNow));
  }  // nobody was asked
  expect_refused(Ledger::open(files, kFile, kAllowed, kFolder), Failure::privacy, {"went its own way", "heads/"});
}

TEST(Ledger, AStateFolderThatLagsOrIsNewIsFine) {
  FakeFileSystem files(1);
  {
    EXPECT_TRUE(opened(files, kAllowed, kFolder).reserve(10, "eug", kNow));
  }
  {
    EXPECT_TRUE(opened(files, kAllowed, "").reserve(10, "eug", kNow));
  }
  EXPECT_EQ(opened(files, kAllowed, kFolder).chain().spent, 20U);
  EXPECT_EQ(opened(files, kAllowed, "another/state").chain().spent, 20U);
}

TEST(Ledger, ADamagedStateHeadIsRefusedAndNamed) {
  FakeFileSystem files(1);
  const std::string id = opened(files, kAllowed, kFolder).head().id;
  const std::string good = files.content(kFolder + "/heads/" + id);
  for (const std::string& bad :
       {std::string("garbage"), good + "x", good + "\n", good + good, good + "2 10 abc\n", good + "2 10 " + kHash,
        good + "02 10 " + kHash + "\n", good.substr(0, good.size() - 1)}) {
    files.content(kFolder + "/heads/" + id) = bad;
    expect_refused(Ledger::open(files, kFile, kAllowed, kFolder), Failure::privacy,
                   {"heads/" + id + " is damaged", "delete"});
  }
}

const std::string kCopy = "copy.ledger";

void copy_ledger(FakeFileSystem& files, const std::string& from, const std::string& to) {
  const std::string content = files.content(from);
  ASSERT_TRUE(files.write_file(to, content));
}

TEST(Ledger, ACopyIsLockedWhileTheLedgerLives) {
  FakeFileSystem files(1);
  Result<Ledger> ledger = Ledger::open(files, kFile, kAllowed, kFolder);
  ASSERT_TRUE(ledger);
  copy_ledger(files, kFile, kCopy);
  expect_refused(Ledger::open(files, kCopy, kAllowed, kFolder), Failure::locked, {"a copy of copy.ledger is locked"});
  ASSERT_TRUE(ledger->reserve(600, "eug", kNow));
  expect_refused(Ledger::open(files, kCopy, kAllowed, kFolder), Failure::locked, {"locked"});
  EXPECT_TRUE(Ledger::open(files, "other.ledger", kAllowed, kFolder));  // another ledger, another lock
  EXPECT_TRUE(Ledger::open(files, kCopy, kAllowed, "another/state"));   // nobody there knows of it
  ledger = Error{Failure::usage, "closed"};
  expect_refused(Ledger::open(files, kCopy, kAllowed, kFolder), Failure::privacy, {"rolled back, or is a copy"});
  EXPECT_EQ(opened(files, kAllowed, kFolder).chain().spent, 600U);
}

TEST(Ledger, CopiesThatGoTheirOwnWaysNeverShareAHead) {
  FakeFileSystem files(1);
  (void)opened(files, kAllowed);
  copy_ledger(files, kFile, kCopy);
  Result<Ledger> a = Ledger::open(files, kFile, kAllowed);
  Result<Ledger> b = Ledger::open(files, kCopy, kAllowed);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(format_head(a->head()), format_head(b->head()));
  ASSERT_TRUE(a->reserve(10, "eug", kNow));
  ASSERT_TRUE(b->reserve(10, "eug", kNow));
  EXPECT_NE(format_head(a->head()), format_head(b->head()));
  expect_refused(a->witness(b->head(), "x.odr"), Failure::privacy, {"went its own way"});
}

// Somebody removes the lock, so that two hold it: the one who comes second to the head is refused.
TEST(Ledger, TheHeadIsComparedBeforeItIsSwapped) {
  for (const bool gone : {false, true}) {
    FakeFileSystem files(1);
    Ledger ledger = opened(files, kAllowed, kFolder);
    const std::string kept = kFolder + "/heads/" + ledger.head().id;
    const std::string before = files.content(kFile);
    if (gone) {
      ASSERT_TRUE(files.rename(kFolder, "home/moved"));
    } else {
      copy_ledger(files, kFile, kCopy);
      ASSERT_TRUE(files.remove_tree(kept + ".lock"));
      Result<Ledger> copy = Ledger::open(files, kCopy, kAllowed, kFolder);
      ASSERT_TRUE(copy);
      ASSERT_TRUE(copy->reserve(600, "eug", kNow));
    }
    expect_refused(ledger.reserve(600, "eug", kNow), Failure::privacy, {kept + " was changed while"});
    EXPECT_EQ(files.content(kFile), before);
  }
}

// The reservation was announced to the state folder and died there: every copy that is used later has paid for it.
TEST(Ledger, WhatWasAnnouncedIsChargedInWhicheverCopyIsUsedNext) {
  for (const bool original : {true, false}) {
    std::uint64_t charged = 0;
    for (std::uint64_t n = 0; n < 20; ++n) {
      FakeFileSystem files(n);
      (void)opened(files, kAllowed, kFolder);
      copy_ledger(files, kFile, kCopy);
      {
        Ledger ledger = opened(files, kAllowed, kFolder);
        files.die_after(n);
        (void)ledger.reserve(10, "eug", kNow);
      }
      files.end_process();
      const bool written = files.content(kFile).find("RESERVE") != std::string::npos;
      const Result<Ledger> ledger = Ledger::open(files, original ? kFile : kCopy, kAllowed, kFolder);
      if (!ledger) {
        EXPECT_FALSE(original);
        expect_refused(ledger, Failure::privacy, {"is a copy that went its own way"});
        continue;
      }
      EXPECT_LE(ledger->chain().spent, 10U);
      if (written && !original) {
        EXPECT_EQ(ledger->chain().spent, 10U) << "died after step " << n;
        EXPECT_EQ(ledger->chain().records.back().kind, RecordKind::repair);
      }
      charged += ledger->chain().spent;
      const Ticks spent = ledger->chain().spent;
      EXPECT_EQ(Ledger::read(files, original ? kFile : kCopy, kFolder)->spent, spent);
    }
    EXPECT_GE(charged, 20U) << "no death fell between announcing and telling";
  }
}

TEST(Ledger, ALedgerOfFormat1GoesOn) {
  FakeFileSystem files(1);
  LedgerRecord genesis{RecordKind::genesis, 1, kAllowed, 1, "-", std::string(32, 'a')};
  std::string text = encode_record(genesis, std::string(64, '0'));
  LedgerRecord reserve{RecordKind::reserve, 2, 10, 0, kNow, "eug"};
  text += encode_record(reserve, genesis.hash);
  ASSERT_TRUE(files.write_file(kFile, text));
  ASSERT_TRUE(opened(files, kAllowed, kFolder).reserve(20, "eug", kNow, "x.odr"));
  const Ledger again = opened(files, kAllowed, kFolder);
  EXPECT_EQ(again.chain().spent, 30U);
  EXPECT_EQ(again.chain().records[0].ref, 1U);
  EXPECT_EQ(again.chain().records[2].words.at("release"), "x.odr");
  EXPECT_TRUE(again.witness(LedgerHead{std::string(32, 'a'), 2, reserve.hash}, "old.odr"));
  EXPECT_TRUE(files.content(kFile).starts_with(text));
}

TEST(Ledger, ReservationsCarryReleaseAndComment) {
  FakeFileSystem files(1);
  {
    Ledger ledger = opened(files, kAllowed);
    EXPECT_EQ(ledger.chain().records[0].ref, 2U);
    ASSERT_TRUE(ledger.reserve(1, "eug", kNow, "a city.odr", "for Z\xc3\xbcrich\nand more"));
    ASSERT_TRUE(ledger.reserve(1, "eug", kNow));
  }
  const Result<LedgerChain> chain = Ledger::read(files, kFile);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->records[1].words.at("release"), "a city.odr");
  EXPECT_EQ(chain->records[1].words.at("comment"), "for Z\xc3\xbcrich_and more");
  EXPECT_EQ(chain->records[2].words.size(), 1U);
}

TEST(Ledger, AppendsAfterATornEnd) {
  FakeFileSystem files(1);
  {
    EXPECT_TRUE(opened(files, kAllowed, kFolder).reserve(10, "eug", kNow));
  }
  files.content(kFile) += "3 RESERVE ticks=7 re";
  {
    Ledger ledger = opened(files, kAllowed, kFolder);
    EXPECT_EQ(ledger.chain().spent, 17U);
    EXPECT_EQ(ledger.head().records, 2U);
    const Result<Reservation> r = ledger.reserve(5, "eug", kNow);
    ASSERT_TRUE(r);
    EXPECT_EQ(r->number, 4U);
    EXPECT_EQ(ledger.chain().records[2].kind, RecordKind::repair);
    ASSERT_TRUE(ledger.commit(*r, kHash));
  }
  const Ledger again = opened(files, kAllowed, kFolder);
  EXPECT_EQ(again.chain().spent, 22U);
  EXPECT_EQ(again.chain().reserved, 17U);
}

// Every step of a call fails once with an I/O error: the call says so, and the object refuses everything after.
TEST(Ledger, AnyFailedWriteClosesTheLedger) {
  FakeFileSystem count(1);
  std::uint64_t steps = 0;
  {
    Ledger ledger = opened(count, kAllowed, kFolder);
    steps = count.steps();
    ASSERT_TRUE(ledger.reserve(10, "eug", kNow));
    steps = count.steps() - steps;
  }
  EXPECT_GE(steps,
            17U);  // append in two parts, fsync; before and after it the head: read, write in four parts, rename, fsync
  for (std::uint64_t n = 0; n < steps; ++n) {
    FakeFileSystem files(n);
    {
      Ledger ledger = opened(files, kAllowed, kFolder);
      files.fail_after(n);
      expect_refused(ledger.reserve(10, "eug", kNow), Failure::privacy, {"Input/output error"});
      const std::string after = files.content(kFile);
      expect_refused(ledger.reserve(10, "eug", kNow), Failure::privacy, {"closed after a failed write"});
      expect_refused(ledger.abort(Reservation{.number = 2}), Failure::privacy, {"closed after a failed write"});
      EXPECT_EQ(files.content(kFile), after);
    }
    Ledger again = opened(files, kAllowed, kFolder);
    EXPECT_LE(again.chain().spent, 10U);
    EXPECT_TRUE(again.reserve(10, "eug", kNow));
  }
}

}  // namespace
}  // namespace stopover
