// A ledger whose process dies at every step of every call, with and without the power, over and over: spent never falls
// below what was acknowledged, never exceeds what was asked for nor the budget, and the ledger can always be used
// again.
#include <gtest/gtest.h>

#include <cstdlib>

#include "ledger/ledger.h"
#include "testing/fake_file_system.h"

namespace stopover {
namespace {

const std::string kPath = "data/city.ledger";
const std::string kState = "home/state/stopover";
const std::string kTime = "2025-03-01T09:30:00Z";
constexpr Ticks kBudget = 100'000;

bool long_tests() { return std::getenv("STOPOVER_LONG_TESTS") != nullptr; }

// What the world was told, and what it asked for.
struct Told {
  bool opened = false;
  Ticks acknowledged = 0;
  Ticks asked = 0;
  std::vector<LedgerHead> heads;
  std::vector<std::uint64_t> committed;
};

// One process: opens the ledger and uses it until something fails. False: the ledger refused although nothing is dead.
// `superseded`: set if the file is a copy that another one was preferred to.
testing::AssertionResult live(FakeFileSystem& files, const std::string& state, int rounds, Told& told,
                              const std::string& path = kPath, bool* superseded = nullptr) {
  Result<Ledger> ledger = Ledger::open(files, path, kBudget, state);
  if (!ledger) {
    if (files.dead()) return testing::AssertionSuccess();
    if (superseded != nullptr && ledger.error().message.find("went its own way") != std::string::npos) {
      *superseded = true;
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << ledger.error().message;
  }
  const LedgerChain& chain = ledger->chain();
  if (told.opened && chain.head().id != told.heads.front().id) return testing::AssertionFailure() << "another ledger";
  told.opened = true;
  if (chain.spent < told.acknowledged) {
    return testing::AssertionFailure() << "spent fell to " << chain.spent << " from " << told.acknowledged;
  }
  if (chain.spent > told.asked || chain.spent > kBudget) {
    return testing::AssertionFailure() << "spent " << chain.spent << " of " << told.asked << " asked for";
  }
  for (const LedgerHead& head : told.heads) {
    if (Status s = ledger->witness(head, "a release"); !s) return testing::AssertionFailure() << s.error().message;
  }
  for (const std::uint64_t number : told.committed) {
    if (chain.open.contains(number)) return testing::AssertionFailure() << "a commit was lost";
  }
  told.acknowledged = chain.spent;  // seen by everyone who opens it, after an fsync
  told.heads.push_back(ledger->head());
  for (int i = 0; i < rounds; ++i) {
    const Ticks ticks = 1 + told.asked % 17;
    told.asked += ticks;
    const Result<Reservation> r = ledger->reserve(ticks, "daf-entropy", kTime);
    if (!r) break;
    told.acknowledged += ticks;
    told.heads.push_back(ledger->head());
    if (i % 3 == 0) {
      if (!ledger->commit(*r, std::string(64, 'c'))) break;
      told.committed.push_back(r->number);
    } else if (i % 3 == 1 && !ledger->abort(*r)) {
      break;
    }
    told.heads.push_back(ledger->head());
  }
  if (!files.dead() && told.acknowledged != chain.spent) return testing::AssertionFailure() << "does not add up";
  return testing::AssertionSuccess();
}

FakeFileSystem disk(std::uint64_t seed) {
  FakeFileSystem files(seed);
  for (const char* folder : {"data", "home"}) EXPECT_TRUE(files.make_directory(folder));
  EXPECT_TRUE(files.fsync_dir("."));
  return files;
}

TEST(LedgerCrash, AtEveryStepOnce) {
  std::uint64_t cases = 0;
  for (const std::string& state : {std::string(), kState}) {
    std::uint64_t steps = 0;
    {
      FakeFileSystem files = disk(0);
      Told told;
      ASSERT_TRUE(live(files, state, 4, told));
      steps = files.steps();
    }
    EXPECT_GT(steps, 30U);
    const std::uint64_t seeds = long_tests() ? 200 : 25;
    for (std::uint64_t n = 0; n <= steps; ++n) {
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        FakeFileSystem files = disk(seed * 1000 + n);
        Told told;
        files.die_after(n);
        ASSERT_TRUE(live(files, state, 4, told));
        if (seed % 4 == 0) {
          files.end_process();
        } else {
          files.lose_power();
        }
        ASSERT_TRUE(live(files, state, 2, told)) << "died after step " << n << ", seed " << seed;
        files.end_process();
        ASSERT_TRUE(live(files, state, 2, told)) << "second life after step " << n << ", seed " << seed;
        ++cases;
      }
    }
  }
  RecordProperty("cases", static_cast<int>(cases));
}

// The first process is killed, so that its unsynced work is there to be read; the power fails during the second.
TEST(LedgerCrash, KilledThenWithoutPower) {
  const std::uint64_t seeds = long_tests() ? 40 : 6;
  for (std::uint64_t first = 0; first < 20; ++first) {
    for (std::uint64_t second = 0; second < 20; ++second) {
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        FakeFileSystem files = disk(seed + 1000 * (first + 100 * second));
        Told told;
        ASSERT_TRUE(live(files, kState, 1, told));
        files.end_process();
        files.die_after(first);
        ASSERT_TRUE(live(files, kState, 1, told));
        files.end_process();
        files.die_after(second);
        ASSERT_TRUE(live(files, kState, 1, told));
        files.lose_power();
        ASSERT_TRUE(live(files, kState, 1, told)) << "steps " << first << " and " << second << ", seed " << seed;
      }
    }
  }
}

// The first process uses the ledger, the second one a copy made before, the third one whichever comes. Whatever dies
// where, with and without the power: a copy that can still be used holds all that was ever told of the other one (live
// compares), one of them can be used, and all that was ever reserved in any of them is within what was asked for.
TEST(LedgerCrash, CopiesAtEveryStep) {
  const std::uint64_t seeds = long_tests() ? 100 : 8;
  std::uint64_t superseded_copies = 0, superseded_originals = 0;
  for (std::uint64_t n = 0; n <= 60; ++n) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      FakeFileSystem files = disk(seed * 1000 + n);
      Told told;
      ASSERT_TRUE(live(files, kState, 1, told));
      ASSERT_TRUE(files.write_file("data/copy.ledger", files.content(kPath)));
      ASSERT_TRUE(files.fsync_dir("data"));
      files.end_process();
      for (const std::string& path : {kPath, std::string("data/copy.ledger")}) {
        bool ignored = false;
        files.die_after(n);
        ASSERT_TRUE(live(files, kState, 2, told, path, &ignored)) << path << ", step " << n << ", seed " << seed;
        if (seed % 3 == 0) {
          files.end_process();
        } else {
          files.lose_power();
        }
      }
      bool copy = false, original = false;
      ASSERT_TRUE(live(files, kState, 2, told, "data/copy.ledger", &copy)) << "step " << n << ", seed " << seed;
      files.end_process();
      ASSERT_TRUE(live(files, kState, 2, told, kPath, &original)) << "step " << n << ", seed " << seed;
      ASSERT_TRUE(!copy || !original) << "neither can be used, step " << n << ", seed " << seed;
      superseded_copies += copy;
      superseded_originals += original;

      std::map<std::string, Ticks> reserved;  // by hash; a REPAIR of an announced one has its hash as note
      for (const std::string& path : {kPath, std::string("data/copy.ledger")}) {
        const Result<LedgerChain> chain = Ledger::read(files, path);
        ASSERT_TRUE(chain);
        for (const LedgerRecord& r : chain->records) {
          if (r.kind == RecordKind::reserve) reserved[r.hash] = r.ticks;
        }
      }
      Ticks total = 0;
      for (const auto& [hash, ticks] : reserved) total += ticks;
      const Result<LedgerChain> used = Ledger::read(files, copy ? kPath : "data/copy.ledger", kState);
      ASSERT_TRUE(used);
      EXPECT_LE(total, used->spent) << "a copy reserved what the other has not paid, step " << n << ", seed " << seed;
      EXPECT_LE(used->spent, told.asked);
    }
  }
  EXPECT_GT(superseded_copies, 0U);
  EXPECT_GT(superseded_originals, 0U);
}

TEST(LedgerCrash, OverAndOver) {
  const std::uint64_t seeds = long_tests() ? 400 : 25;
  std::uint64_t repairs = 0, lives = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    FakeFileSystem files = disk(seed);
    std::mt19937_64 random(seed);
    const std::string state = seed % 2 == 0 ? kState : "";
    Told told;
    for (int life = 0; life < 40; ++life) {
      files.die_after(std::uniform_int_distribution<std::uint64_t>(0, 40)(random));
      ASSERT_TRUE(live(files, state, 5, told)) << "life " << life << ", seed " << seed;
      if (random() % 4 == 0) {
        files.end_process();
      } else {
        files.lose_power();
      }
      ++lives;
    }
    ASSERT_TRUE(live(files, state, 5, told)) << "last life, seed " << seed;
    const Result<LedgerChain> chain = Ledger::read(files, kPath, state);
    ASSERT_TRUE(chain);
    for (const LedgerRecord& record : chain->records) repairs += record.kind == RecordKind::repair;
  }
  EXPECT_GT(repairs, seeds);  // torn ends are no rarity here
  RecordProperty("lives", static_cast<int>(lives));
  RecordProperty("repairs", static_cast<int>(repairs));
}

}  // namespace
}  // namespace stopover
