// Real processes on the real disk: locks between them, and kill -9 at any moment.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>

#include "ledger/ledger.h"

namespace stopover {
namespace {

const std::string kKillTime = "2025-03-01T09:30:00Z";

// A process that reports numbers to this one until it ends or is killed.
class Child {
 public:
  explicit Child(const std::function<void(const std::function<void(std::uint64_t)>&)>& life) {
    int ends[2];
    STOPOVER_CHECK(::pipe(ends) == 0, "no pipe");
    pid_ = ::fork();
    STOPOVER_CHECK(pid_ >= 0, "no process");
    if (pid_ == 0) {
      ::close(ends[0]);
      life([&](std::uint64_t value) {
        if (::write(ends[1], &value, sizeof value) != sizeof value) ::_exit(2);
      });
      ::_exit(0);
    }
    ::close(ends[1]);
    reports_ = ends[0];
  }

  void kill() const { ::kill(pid_, SIGKILL); }

  // Waits until it has reported `count` numbers, or has ended.
  void wait_for(std::size_t count) {
    std::uint64_t value = 0;
    while (values_.size() < count && ::read(reports_, &value, sizeof value) == sizeof value) values_.push_back(value);
  }

  // Waits for its end and gives all it reported.
  std::vector<std::uint64_t> end() {
    wait_for(std::numeric_limits<std::size_t>::max());
    ::close(reports_);
    ::waitpid(pid_, nullptr, 0);
    return values_;
  }

 private:
  std::vector<std::uint64_t> values_;
  pid_t pid_ = -1;
  int reports_ = -1;
};

class LedgerProcesses : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "stopover-ledger-" + files_->fresh_id();
    ASSERT_TRUE(files_->make_directory(root_));
  }
  void TearDown() override { EXPECT_TRUE(files_->remove_tree(root_)); }

  std::unique_ptr<FileSystem> files_ = posix_file_system();
  std::string root_;
};

TEST_F(LedgerProcesses, TheSecondIsRefusedWhileTheFirstLives) {
  const std::string path = root_ + "/a.ledger";
  const auto attempt = [&](const auto& report) {
    const Result<Ledger> ledger = Ledger::open(*files_, path, std::nullopt);
    const bool locked = !ledger && ledger.error().message.find("locked by another process") != std::string::npos;
    report(ledger ? 0 : locked ? static_cast<std::uint64_t>(ledger.error().failure) : 99);
  };
  {
    Result<Ledger> mine = Ledger::open(*files_, path, 1000);
    ASSERT_TRUE(mine);
    EXPECT_EQ(Child(attempt).end(), std::vector<std::uint64_t>{7});
    ASSERT_TRUE(mine->reserve(1, "eug", kKillTime));
  }
  EXPECT_EQ(Child(attempt).end(), std::vector<std::uint64_t>{0});
}

TEST_F(LedgerProcesses, ManyAtOnceSpendTheBudgetExactly) {
  const std::string path = root_ + "/a.ledger";
  constexpr Ticks kAllowance = 60;
  const auto spend = [&](const auto& report) {
    for (;;) {
      Result<Ledger> ledger = Ledger::open(*files_, path, kAllowance, root_ + "/state");
      if (!ledger) {
        if (ledger.error().message.find("locked") == std::string::npos) report(1000);
        ::usleep(100);
        continue;
      }
      const Result<Reservation> r = ledger->reserve(1, "eug", kKillTime);
      if (!r) return;
      report(1);
    }
  };
  std::vector<Child> children;
  for (int i = 0; i < 4; ++i) children.emplace_back(spend);
  Ticks reported = 0;
  for (Child& child : children) {
    for (const std::uint64_t ticks : child.end()) reported += ticks;
  }
  EXPECT_EQ(reported, kAllowance);
  const Result<LedgerChain> chain = Ledger::read(*files_, path, root_ + "/state");
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->spent, kAllowance);
  EXPECT_EQ(chain->records.size(), kAllowance + 1);
}

TEST_F(LedgerProcesses, KilledAtAnyMoment) {
  const bool longer = std::getenv("STOPOVER_LONG_TESTS") != nullptr;
  const int kills = longer ? 2000 : 200;
  constexpr Ticks kAllowance = 1'000'000;
  std::mt19937_64 random(7);
  std::string path;
  Ticks acknowledged = 0, announced = 0;  // announced: a reservation of an earlier process may still have to be charged
  std::uint64_t reservations = 0, in_the_midst = 0;
  for (int i = 0; i < kills; ++i) {
    if (i % 8 == 0) {
      path = root_ + "/" + std::to_string(i) + ".ledger";  // its making is interrupted as well
      acknowledged = announced = 0;
    }
    const std::string state = i % 16 < 8 ? root_ + "/state" : "";
    Child child([&](const auto& report) {
      Result<Ledger> ledger = Ledger::open(*files_, path, kAllowance, state);
      if (!ledger) return report(kAllowance + 1);
      for (Ticks ticks = 1; ticks < 100; ++ticks) {
        const Result<Reservation> r = ledger->reserve(ticks, "daf-entropy", kKillTime);
        if (!r) return report(kAllowance + 1);
        report(ticks);
        if (ticks % 2 == 0 && !ledger->commit(*r, std::string(64, 'c'))) return report(kAllowance + 1);
      }
    });
    child.wait_for(random() % 4);
    ::usleep(static_cast<useconds_t>(std::uniform_int_distribution<int>(0, 4000)(random)));
    child.kill();
    const std::vector<std::uint64_t> reported = child.end();
    for (const std::uint64_t ticks : reported) {
      ASSERT_LE(ticks, kAllowance) << "the ledger refused after " << i << " kills";
      acknowledged += ticks;
    }
    reservations += reported.size();
    if (!files_->exists(path)) {
      ASSERT_EQ(acknowledged, 0U);
      continue;
    }
    const Result<LedgerChain> chain = Ledger::read(*files_, path, state);
    ASSERT_TRUE(chain) << chain.error().message;
    ASSERT_GE(chain->spent, acknowledged) << "spent fell after " << i << " kills";
    const Ticks under_way = reported.size() + 1;
    ASSERT_LE(chain->spent, acknowledged + under_way + announced);
    announced = state.empty() ? 0 : reported.empty() ? std::max(announced, under_way) : under_way;
    in_the_midst += chain->spent > acknowledged;
    acknowledged = chain->spent;
  }
  EXPECT_GT(reservations, static_cast<std::uint64_t>(kills) / 4);  // else nothing was tried
  RecordProperty("reservations", static_cast<int>(reservations));
  RecordProperty("killed_between_write_and_report", static_cast<int>(in_the_midst));
}

}  // namespace
}  // namespace stopover
