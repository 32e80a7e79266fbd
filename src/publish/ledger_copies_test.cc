// Real processes publish at once from two copies of one ledger, and many of them are killed (kill -9) at any moment of
// it. The budget holds for all copies together, and no two releases have one head.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "privacy/entropy.h"
#include "publish/publish.h"

namespace stopover {
namespace {

Result<PublishOutcome> publish_copy(const PublishRequest& request, const Matrix& matrix, const PublishDoors& doors) {
  return publish(request, {&matrix, 1}, doors);
}

namespace fs = std::filesystem;

constexpr int kPatience = 100'000;  // tries: nobody gives up before the others have ended

struct Publisher {
  std::string ledger, output, state;
  Ticks epsilon;
  useconds_t every;                // the pause between two tries
  std::optional<long> dies_after;  // microseconds from the moment when the ledger is its own, or sooner

  // kill -9, by the clock; not while it only waits.
  void arm(bool armed = true) const {
    if (!dies_after) return;
    static timer_t timer = nullptr;
    struct sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGKILL;
    if (timer == nullptr) STOPOVER_CHECK(::timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "no timer");
    const long after = armed ? 1000 * *dies_after + 1 : 0;
    const struct itimerspec when{{0, 0}, {after / 1'000'000'000, after % 1'000'000'000}};
    STOPOVER_CHECK(::timer_settime(timer, 0, &when, nullptr) == 0, "no timer");
  }

  int publish_it() const {
    MatrixBuilder builder(*Domain::of_shape({4, 4}));
    builder.add(std::array<std::uint32_t, 2>{1, 2}, 5);
    const Matrix matrix = std::move(builder).build();
    PublishRequest request;
    const Mechanism* uniform = find_mechanism("uniform");
    request.parts = {{"", uniform, *read_params(*uniform, {}), {}}};
    request.epsilon = epsilon;
    request.output = output;
    request.ledger = ledger;
    request.state_dir = state;
    request.time = "2025-03-01T09:30:00Z";
    request.threads = 1;
    request.calibrate = false;
    const std::unique_ptr<FileSystem> files = posix_file_system();
    const std::unique_ptr<ReleaseStore> store = release_store(1);
    PublishDoors doors{*files, *store, draw_release_key};
    doors.try_again = [this, tries = 0]() mutable {
      arm(false);
      ::usleep(every);
      arm();
      return ++tries < kPatience;
    };
    arm();
    const Result<PublishOutcome> outcome = publish_copy(request, matrix, doors);
    return outcome ? 0 : static_cast<int>(outcome.error().failure);
  }
};

class LedgerCopies : public testing::Test {
 protected:
  void SetUp() override {
    root_ = testing::TempDir() + "stopover-copies-" + files_->fresh_id();
    ASSERT_TRUE(files_->make_directory(root_));
  }
  void TearDown() override { EXPECT_TRUE(files_->remove_tree(root_)); }

  // All at once; how often each exit code came, -9 for those killed.
  std::map<int, int> run(const std::vector<Publisher>& publishers) {
    int gate[2];
    STOPOVER_CHECK(::pipe(gate) == 0, "no pipe");
    std::vector<pid_t> pids;
    for (const Publisher& publisher : publishers) {
      pids.push_back(::fork());
      STOPOVER_CHECK(pids.back() >= 0, "no process");
      if (pids.back() != 0) continue;
      ::close(gate[1]);
      char byte = 0;
      (void)!::read(gate[0], &byte, 1);  // until the gate is closed
      ::_exit(publisher.publish_it());
    }
    ::close(gate[0]);
    ::close(gate[1]);
    std::map<int, int> ends;
    for (const pid_t pid : pids) {
      int status = 0;
      ::waitpid(pid, &status, 0);
      ++ends[WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status)];
    }
    return ends;
  }

  // Two copies of `newest_`, `each` publishers on either.
  void wave(int number, int each) {
    const std::string folder = fmt::format("{}/{}", root_, number);
    ASSERT_TRUE(files_->make_directory(folder));
    std::vector<Publisher> publishers;
    std::vector<std::string> copies;
    for (const char* name : {"a", "b"}) {
      copies.push_back(fmt::format("{}/{}.ledger", folder, name));
      fs::copy_file(newest_, copies.back());
      for (int i = 0; i < each; ++i) {
        publishers.push_back({copies.back(),
                              fmt::format("{}/{}{}.odr", folder, name, i),
                              root_ + "/state",
                              1 + random_() % 4,
                              static_cast<useconds_t>(each * (50 + random_() % 350)),
                              {}});
        if (random_() % 3 == 0) publishers.back().dies_after = std::uniform_int_distribution<long>(0, usual_)(random_);
      }
    }
    for (const auto& [end, times] : run(publishers)) {
      ends_[end] += times;
      EXPECT_TRUE(end == 0 || end == -SIGKILL || end == static_cast<int>(Failure::privacy)) << end;
    }
    int usable = 0;
    for (const std::string& copy : copies) {
      ++copies_;
      usable +=
          static_cast<bool>(Ledger::open(*files_, copy, std::nullopt, root_ + "/state")) ? (newest_ = copy, 1) : 0;
      const Result<LedgerChain> chain = Ledger::read(*files_, copy);
      ASSERT_TRUE(chain) << chain.error().message;
      for (const LedgerRecord& r : chain->records) {
        if (r.kind == RecordKind::reserve) reserved_[r.hash] = r.ticks;
      }
    }
    EXPECT_GE(usable, 1) << "neither copy can be used";
    for (const Publisher& publisher : publishers) {
      if (!files_->exists(publisher.output)) continue;
      const Result<std::string> head = release_store(1)->ledger_head(publisher.output);
      ASSERT_TRUE(head) << head.error().message;
      ++releases_;
      const std::string hash = parse_head(*head)->hash;
      EXPECT_TRUE(paid_.insert(hash).second) << "two releases have the head " << *head;
      EXPECT_EQ(reserved_.at(hash), publisher.epsilon);
    }
  }

  std::unique_ptr<FileSystem> files_ = posix_file_system();
  std::string root_, newest_;
  std::mt19937_64 random_{20250301};
  long usual_ = 0;  // microseconds of one that is left alone
  std::map<int, int> ends_;
  std::map<std::string, Ticks> reserved_;  // in any copy, by hash
  std::set<std::string> paid_;             // hashes that releases carry
  int copies_ = 0, releases_ = 0;
};

TEST_F(LedgerCopies, TheBudgetHoldsForAllOfThemTogether) {
  const bool longer = std::getenv("STOPOVER_LONG_TESTS") != nullptr;
  const int waves = longer ? 50 : 1;
  const Ticks budget = longer ? 1600 : 40;  // the last wave of the long test uses it up
  newest_ = root_ + "/city.ledger";
  ASSERT_TRUE(Ledger::open(*files_, newest_, budget, root_ + "/state"));
  const auto begun = std::chrono::steady_clock::now();
  ASSERT_EQ(run({{newest_, root_ + "/warm.odr", root_ + "/state", 1, 1000, {}}}), (std::map<int, int>{{0, 1}}));
  usual_ = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begun).count();
  for (int i = 0; i < waves && !HasFailure(); ++i) wave(i, 10);
  if (longer && !HasFailure()) wave(waves, 500);

  const Result<LedgerChain> chain = Ledger::read(*files_, newest_, root_ + "/state");
  ASSERT_TRUE(chain) << chain.error().message;
  Ticks total = 0;
  for (const auto& [hash, ticks] : reserved_) total += ticks;
  EXPECT_LE(total, budget);
  EXPECT_LE(total, chain->spent);  // what any copy ever reserved is paid for in the one that is left
  for (const std::string& hash : paid_) {
    EXPECT_TRUE(
        std::any_of(chain->records.begin(), chain->records.end(), [&](const auto& r) { return r.hash == hash; }));
  }
  EXPECT_GT(releases_, 0);
  EXPECT_GT(ends_[-SIGKILL], 0);
  std::string told;
  for (const auto& [end, times] : ends_) told += fmt::format(", {} ended with {}", times, end);
  fmt::print("{} copies, {} releases, {} reservations, {} of {} ticks spent{}\n", copies_, releases_, reserved_.size(),
             chain->spent, budget, told);
}

}  // namespace
}  // namespace stopover
