// A total first, then the rest: the two rules, the two reservations, and the exact loss of the whole transaction by
// replay, with outputs that were drawn and with outputs that an adversary chose.
#include "publish/expectation.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "disk/sha256.h"
#include "mechanism/mechanism.h"
#include "publish/publish.h"
#include "testing/fake_file_system.h"
#include "testing/proof.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

Result<PublishOutcome> publish_one(const PublishRequest& request, const Matrix& matrix, const PublishDoors& doors) {
  return publish(request, {&matrix, 1}, doors);
}

// Keeps the releases in memory, a file for each on the disk under test.
class KeepingStore : public ReleaseStore {
 public:
  explicit KeepingStore(FileSystem& files) : files_(files) {}
  Status close_folder(const std::string&) override { return {}; }
  Status open_folder(const std::string&) override { return {}; }
  Result<std::vector<std::string>> write(const Release& release, const std::string& folder) override {
    written.push_back(release);
    if (Status s = files_.write_file(folder + "/card", release.ledger_head); !s) return s.error();
    return std::vector<std::string>{"card"};
  }
  Result<std::string> verify(const Release& release, const std::string& folder) override {
    if (Status s = check_release(release); !s) return s.error();
    const Result<std::string> text = files_.read_file(folder + "/card");
    if (!text) return text.error();
    return sha256_of(*text);
  }
  Result<std::string> content(const std::string& folder) override { return files_.read_file(folder + "/card"); }
  Result<std::string> ledger_head(const std::string& folder) override { return files_.read_file(folder + "/card"); }

  std::vector<Release> written;

 private:
  FileSystem& files_;
};

struct World {
  explicit World(std::uint64_t seed = 1) : files(seed) {
    (void)files.make_directory("home");
    (void)files.fsync_dir("");
  }
  PublishDoors doors() {
    return {files, store, [this]() -> Result<ReleaseKey> { return test_key(fmt::format("{} {}", key_name, ++keys)); }};
  }
  std::vector<LedgerRecord> records() { return Ledger::read(files, "home/city.ledger")->records; }
  Ticks spent() { return files.exists("home/city.ledger") ? Ledger::read(files, "home/city.ledger")->spent : 0; }

  FakeFileSystem files;
  KeepingStore store{files};
  std::string key_name = "expected";
  int keys = 0;
};

Matrix matrix_with(std::uint64_t trips) {
  MatrixBuilder builder(*Domain::of_shape({4, 4}));
  builder.add(std::array<std::uint32_t, 2>{1, 2}, trips);
  return std::move(builder).build();
}

PublishRequest request_for(Ticks epsilon, std::uint64_t expected, const char* mechanism = "uniform") {
  PublishRequest request;
  const Mechanism* chosen = find_mechanism(mechanism);
  request.parts = {{"", chosen, *read_params(*chosen, {}), {}}};
  request.epsilon = epsilon;
  request.output = "home/x.odr";
  request.ledger = "home/city.ledger";
  request.budget = 10 * kTicksPerEpsilon;
  request.time = "2025-03-01T09:30:00Z";
  request.calibrate = false;
  request.expected = Expectation{expected, false};
  return request;
}

std::vector<std::string> told(const std::vector<LedgerRecord>& records) {
  std::vector<std::string> lines;
  for (const LedgerRecord& r : records)
    lines.push_back(fmt::format("{} {} {}", kind_name(r.kind), r.ticks, r.kind == RecordKind::genesis ? 0 : r.ref));
  return lines;
}

TEST(Expectation, TheReachOfATotalIsItsNoise) {
  for (const std::uint32_t k : {1u, 5u}) {
    for (const Ticks first : {Ticks{1}, kTicksPerEpsilon / 100, 30 * kTicksPerEpsilon}) {
      for (const std::size_t parts : {1u, 3u}) {
        const std::uint64_t reach = reach_of_total({first, 1, k}, parts);
        const long double a = std::exp(-static_cast<long double>(first) / 1e9L / k);
        const auto tail = [&](std::uint64_t q) { return std::pow(a, static_cast<long double>(q)) / (1 + a); };
        EXPECT_LE(tail(reach) * static_cast<long double>(parts), 0.001L * (1 + 1e-9L));
        EXPECT_GT(tail(reach - 1) * static_cast<long double>(parts), 0.001L * (1 - 1e-9L)) << "and no longer";
      }
    }
  }
  EXPECT_NEAR(static_cast<double>(reach_of_total({kTicksPerEpsilon / 100, 1, 1}, 1)), 621, 1);
}

TEST(Expectation, TooFewIsClearlyFewer) {
  const ExpectationPrice price{kTicksPerEpsilon / 100, 99 * kTicksPerEpsilon / 100, 1};
  const auto reach = static_cast<std::int64_t>(reach_of_total(price, 1));
  EXPECT_TRUE(judge_totals({10'000, false}, std::array<std::int64_t, 1>{10'000 - reach}, price));
  const Status few = judge_totals({10'000, false}, std::array<std::int64_t, 1>{10'000 - reach - 1}, price);
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().failure, Failure::privacy);
  EXPECT_NE(few.error().message.find("9999"), std::string::npos) << few.error().message;
  EXPECT_FALSE(judge_totals({10'000, true}, std::array<std::int64_t, 1>{10'000 - reach - 1}, price))
      << "whatever is accepted";
  // Of parts, the sum counts: one of them may be empty.
  const auto both = static_cast<std::int64_t>(reach_of_total(price, 2));
  EXPECT_TRUE(judge_totals({10'000, false}, std::array<std::int64_t, 2>{10'000 - 2 * both, 0}, price));
  EXPECT_FALSE(judge_totals({10'000, false}, std::array<std::int64_t, 2>{10'000 - 2 * both - 1, 0}, price));
}

// The rule's rate of false alarms is 1 in 1000; 4,000 draws under fixed keys. Fresh keys would fail this with
// probability 3e-4.
TEST(Expectation, AsManyAsExpectedAreSeldomRefused) {
  const Matrix matrix = matrix_with(5'000);
  const ExpectationPrice price{kTicksPerEpsilon / 100, kTicksPerEpsilon, 2};
  int refused = 0, wide = 0;
  for (int i = 0; i < 4'000; ++i) {
    StreamDice dice(test_key(fmt::format("alarm {}", i)));
    const std::int64_t total = draw_total(MatrixSource(matrix), dice, price.first, price.k);
    refused += !judge_totals({5'000, true}, std::array{total}, price);
    wide += std::abs(total - 5'000) > 200;
  }
  EXPECT_LE(refused, 12);
  EXPECT_NEAR(wide / 4'000.0, std::exp(-1), 0.05) << "the noise has scale k/first";
}

TEST(Expectation, NothingButTheTotalIsRefusedUnlessAccepted) {
  const ExpectationPrice price{kTicksPerEpsilon / 100, kTicksPerEpsilon / 2, 2};  // a trip weighs 1/4
  for (const std::int64_t total : {-50, 0, 159}) {
    const Status refused = judge_totals({1, false}, std::array{total}, price);
    ASSERT_FALSE(refused) << total;
    EXPECT_EQ(refused.error().failure, Failure::privacy);
    for (const char* help : {"`epsilon`", "`max_trips_per_user`", "more data", "`accept_total_only`", "160"}) {
      EXPECT_NE(refused.error().message.find(help), std::string::npos) << help << "\n" << refused.error().message;
    }
    EXPECT_TRUE(judge_totals({1, true}, std::array{total}, price));
  }
  EXPECT_TRUE(judge_totals({1, false}, std::array<std::int64_t, 1>{160}, price));
  EXPECT_TRUE(judge_totals({1, false}, std::array<std::int64_t, 2>{-50, 160}, price)) << "one part is enough";
}

// What kLeastWeight is taken from: anchor with its defaults divides a map of origin and destination from there on.
TEST(Expectation, TheLeastWeightIsWhereAnchorBeginsToDivide) {
  const Mechanism& anchor = *find_mechanism("anchor");
  const auto partitions = [&](std::uint64_t weight) {
    MatrixBuilder builder(*Domain::of_shape({8, 8, 8, 8}));
    std::mt19937_64 random(weight);
    for (std::uint64_t i = 0; i < 100 * weight; ++i) {
      std::array<std::uint32_t, 4> cell;
      for (std::uint32_t& c : cell) c = static_cast<std::uint32_t>(random() % 8);
      builder.add(cell, 1);
    }
    const Matrix matrix = std::move(builder).build();
    int divided = 0;
    for (int i = 0; i < 40; ++i) {
      StreamDice dice(test_key(fmt::format("weight {}", i)));
      Kernel kernel(matrix, dice, kTicksPerEpsilon / 100, 1);
      const std::vector<bool> leaves =
          run_mechanism(anchor, *read_params(anchor, {}), kernel, Unit::trip).tables[0].leaves();
      divided += std::count(leaves.begin(), leaves.end(), true) > 1;
    }
    return divided;
  };
  EXPECT_GE(partitions(400), 38);
  EXPECT_LE(partitions(1), 20) << "its own noisy total has a scale of 100";
}

TEST(Expecting, PaysTwiceAndTellsBothOnOneRelease) {
  World world;
  const PublishRequest request = request_for(kTicksPerEpsilon, 50'000);
  const Result<PublishOutcome> outcome = publish_one(request, matrix_with(50'000), world.doors());
  ASSERT_TRUE(outcome) << outcome.error().message;
  const std::vector<LedgerRecord> records = world.records();
  EXPECT_EQ(told(records), (std::vector<std::string>{"GENESIS 10000000000 0", "RESERVE 10000000 0",
                                                     "RESERVE 990000000 0", "COMMIT 0 2", "COMMIT 0 3"}));
  EXPECT_EQ(records[1].note, "expect");
  EXPECT_EQ(records[2].note, "uniform");
  EXPECT_EQ(records[3].note, outcome->content_sha256);
  EXPECT_EQ(records[4].note, outcome->content_sha256);
  EXPECT_EQ(world.spent(), kTicksPerEpsilon);
  EXPECT_EQ(outcome->spent, kTicksPerEpsilon);
  EXPECT_EQ(Ledger::read(world.files, "home/city.ledger")->reserved, 0u);
  EXPECT_EQ(world.keys, 2);

  ASSERT_EQ(world.store.written.size(), 1u);
  const Release& release = world.store.written[0];
  EXPECT_EQ(release.epsilon, kTicksPerEpsilon);
  EXPECT_EQ(release.spent, kTicksPerEpsilon);
  EXPECT_EQ(release.number, 3u);
  EXPECT_EQ(release.charges[0], (Charge{"expected", 0, "count", 10'000'000, 1}));
  EXPECT_EQ(release.tables[0].ticks, 990'000'000u);
  const std::vector<std::pair<std::string, std::string>> params = {{"expect_total", std::to_string(*outcome->total)},
                                                                   {"expect_trips", "50000"}};
  EXPECT_EQ(release.params, params);
  EXPECT_NEAR(static_cast<double>(*outcome->total), 50'000, 2'000);
  EXPECT_NE(*outcome->total, 50'000);
  const Status kept = check_release(release);
  EXPECT_TRUE(kept) << kept.error().message;
}

TEST(Expecting, TooFewCostsTheFirstShareAndMakesNothing) {
  World world;
  const Result<PublishOutcome> outcome =
      publish_one(request_for(kTicksPerEpsilon, 50'000), matrix_with(3), world.doors());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().failure, Failure::privacy);
  EXPECT_NE(outcome.error().message.find("epsilon 0.01 is spent: 9.99 of 10 is left"), std::string::npos)
      << outcome.error().message;
  EXPECT_EQ(told(world.records()),
            (std::vector<std::string>{"GENESIS 10000000000 0", "RESERVE 10000000 0", "ABORT 0 2"}));
  EXPECT_EQ(world.spent(), 10'000'000u);
  EXPECT_EQ(world.keys, 1);
  EXPECT_TRUE(world.store.written.empty());
  EXPECT_FALSE(world.files.exists("home/x.odr"));
}

TEST(Expecting, TheBalanceMustCoverBothBeforeTheFirst) {
  World world;
  PublishRequest request = request_for(kTicksPerEpsilon, 50'000);
  request.epsilon = 9'500'000'000;
  ASSERT_TRUE(publish_one(request, matrix_with(50'000), world.doors()));
  const int keys = world.keys;
  request.output = "home/y.odr";
  request.epsilon = 500'000'001;
  EXPECT_EQ(publish_one(request, matrix_with(50'000), world.doors()).error().failure, Failure::privacy);
  EXPECT_EQ(world.spent(), 9'500'000'000u);
  EXPECT_EQ(world.keys, keys);
  request.epsilon = 500'000'000;
  EXPECT_TRUE(publish_one(request, matrix_with(50'000), world.doors()));
  request.epsilon = 1;
  request.output = "home/z.odr";
  request.ledger = "home/other.ledger";
  EXPECT_EQ(publish_one(request, matrix_with(50'000), world.doors()).error().failure, Failure::usage);
}

TEST(Expecting, TheTotalsKeyIsDrawnAfterItsReservationIsDurable) {
  for (const int dies_at : {1, 2}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      World world(seed);
      PublishDoors doors = world.doors();
      doors.key = [&, drawn = 0]() mutable -> Result<ReleaseKey> {
        if (++drawn == dies_at) world.files.die_after(0);
        return test_key("expected");
      };
      EXPECT_FALSE(publish_one(request_for(kTicksPerEpsilon, 10), matrix_with(50'000), doors));
      world.files.lose_power();
      EXPECT_EQ(world.spent(), dies_at == 1 ? 10'000'000u : kTicksPerEpsilon);
    }
  }
}

TEST(Expecting, AFailureAfterBothEndsBothAndIsSpent) {
  World world;
  PublishDoors doors = world.doors();
  int asked = 0;
  doors.interrupted = [&] { return ++asked == 3; };  // before the transaction, after the total, before building
  const Result<PublishOutcome> outcome = publish_one(request_for(kTicksPerEpsilon, 10), matrix_with(50'000), doors);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().failure, Failure::interrupted);
  EXPECT_NE(outcome.error().message.find("epsilon 1 is spent"), std::string::npos) << outcome.error().message;
  EXPECT_EQ(told(world.records()), (std::vector<std::string>{"GENESIS 10000000000 0", "RESERVE 10000000 0",
                                                             "RESERVE 990000000 0", "ABORT 0 2", "ABORT 0 3"}));
}

TEST(Expecting, SurvivesACrashAtEveryStep) {
  const Matrix matrix = matrix_with(50'000);
  const PublishRequest request = request_for(kTicksPerEpsilon, 10);
  std::uint64_t steps = 0;
  {
    World world(0);
    steps = world.files.steps();
    ASSERT_TRUE(publish_one(request, matrix, world.doors()));
    steps = world.files.steps() - steps;
  }
  int published = 0;
  for (std::uint64_t n = 0; n <= steps; ++n) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(fmt::format("step {} seed {}", n, seed));
      World world(seed);
      world.files.die_after(n);
      const bool done = static_cast<bool>(publish_one(request, matrix, world.doors()));
      if (seed % 3 == 0) {
        world.files.end_process();
      } else {
        world.files.lose_power();
      }
      const bool seen = world.files.exists("home/x.odr");
      published += seen;
      EXPECT_TRUE(seen || !done);
      EXPECT_GE(world.spent(), world.keys == 0 ? 0 : world.keys == 1 ? 10'000'000u : kTicksPerEpsilon);
      if (seen) {
        EXPECT_EQ(world.spent(), kTicksPerEpsilon);
      } else {
        const Ticks before = world.spent();
        const Result<PublishOutcome> again = publish_one(request, matrix, world.doors());
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(world.spent(), before + kTicksPerEpsilon);
      }
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(published, 5);
}

// Outputs that an adversary would like to see: all counts far above the truth, or far below.
class ChosenDice final : public Dice {
 public:
  ChosenDice(const ReleaseKey& key, std::int64_t far) : drawn_(key), far_(far) {}
  void count(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
             std::span<std::int64_t> released) override {
    drawn_.count(label, rate, truth, released);
    if (far_ != 0) std::fill(released.begin(), released.end(), far_);
  }
  std::size_t choose(const StreamLabel& label, std::span<const std::uint64_t> penalties, u128 num, u128 den) override {
    return drawn_.choose(label, penalties, num, den);
  }
  void coin(const StreamLabel& label, std::span<std::uint64_t> words) override { drawn_.coin(label, words); }
  void grow(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth, std::span<bool> split) override {
    drawn_.grow(label, rate, truth, split);
  }
  void gradual(const StreamLabel& label, Rate fine, Rate coarse, std::span<const std::int64_t> truth,
               std::span<std::int64_t> hidden, std::span<std::int64_t> released) override {
    drawn_.gradual(label, fine, coarse, truth, hidden, released);
    if (far_ != 0) std::fill(hidden.begin(), hidden.end(), far_);
    if (far_ != 0) std::fill(released.begin(), released.end(), far_);
  }
  std::vector<NumberedCount> sparse(const StreamLabel& label, Rate rate, std::uint64_t threshold, std::uint64_t cells,
                                    std::span<const NumberedCount> truth) override {
    return drawn_.sparse(label, rate, threshold, cells, truth);
  }

 private:
  StreamDice drawn_;
  std::int64_t far_;
};

// Lends dice that live elsewhere to a transaction.
class LentDice final : public Dice {
 public:
  explicit LentDice(Dice& dice) : dice_(dice) {}
  void count(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
             std::span<std::int64_t> released) override {
    dice_.count(label, rate, truth, released);
  }
  std::size_t choose(const StreamLabel& label, std::span<const std::uint64_t> penalties, u128 num, u128 den) override {
    return dice_.choose(label, penalties, num, den);
  }
  void coin(const StreamLabel& label, std::span<std::uint64_t> words) override { dice_.coin(label, words); }
  void grow(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth, std::span<bool> split) override {
    dice_.grow(label, rate, truth, split);
  }
  void gradual(const StreamLabel& label, Rate fine, Rate coarse, std::span<const std::int64_t> truth,
               std::span<std::int64_t> hidden, std::span<std::int64_t> released) override {
    dice_.gradual(label, fine, coarse, truth, hidden, released);
  }
  std::vector<NumberedCount> sparse(const StreamLabel& label, Rate rate, std::uint64_t threshold, std::uint64_t cells,
                                    std::span<const NumberedCount> truth) override {
    return dice_.sparse(label, rate, threshold, cells, truth);
  }
  void revealed(const StreamLabel& label, std::size_t first, std::size_t count) override {
    dice_.revealed(label, first, count);
  }

 private:
  Dice& dice_;
};

struct Replayed {
  Bounds loss = 0;
  std::vector<std::string> faults;
  bool refused = false;
};

// Publishes the trips, then the neighbour's with the same outputs, through the whole transaction both times. `far`: of
// the total, and of all counts after it; 0 is drawn.
Replayed replay(const PublishRequest& request, const std::vector<Matrix>& with, const std::vector<Matrix>& without,
                const std::string& key, std::pair<std::int64_t, std::int64_t> far) {
  Replayed found;
  const std::size_t n = with.size();
  std::vector<std::unique_ptr<ChosenDice>> chosen;
  std::vector<std::unique_ptr<RecordingDice>> recorded;
  std::vector<std::unique_ptr<ReplayDice>> replayed;
  const auto run = [&](World& world, const std::vector<Matrix>& matrices, const auto& dice) {
    world.key_name = key;
    PublishDoors doors = world.doors();
    doors.dice = dice;
    return publish(request, matrices, doors);
  };
  World first, second;
  const Result<PublishOutcome> one = run(first, with, [&](const ReleaseKey& k) -> std::unique_ptr<Dice> {
    chosen.push_back(std::make_unique<ChosenDice>(k, recorded.size() < n ? far.first : far.second));
    recorded.push_back(std::make_unique<RecordingDice>(*chosen.back()));
    return std::make_unique<LentDice>(*recorded.back());
  });
  const Transcript none;
  const Result<PublishOutcome> two = run(second, without, [&](const ReleaseKey&) -> std::unique_ptr<Dice> {
    const std::size_t at = replayed.size();
    replayed.push_back(std::make_unique<ReplayDice>(at < recorded.size() ? recorded[at]->transcript() : none));
    return std::make_unique<LentDice>(*replayed.back());
  });
  if (recorded.size() != replayed.size()) found.faults.push_back("another number of draws");
  for (std::size_t i = 0; i < std::min(recorded.size(), replayed.size()); ++i) {
    const auto faults = replayed[i]->faults();
    found.faults.insert(found.faults.end(), faults.begin(), faults.end());
    found.loss = found.loss + loss_of(recorded[i]->transcript(), replayed[i]->transcript());
  }
  found.refused = !one;
  // The exit code, the message, the ledger and the releases: all that anyone sees.
  if (static_cast<bool>(one) != static_cast<bool>(two)) found.faults.push_back("one was refused, the other not");
  if (!one && !two && one.error().message != two.error().message) found.faults.push_back("the messages differ");
  if (!one && one.error().failure != Failure::privacy) found.faults.push_back(one.error().message);
  if (told(first.records()) != told(second.records())) found.faults.push_back("the ledgers differ");
  if (!(first.store.written == second.store.written)) found.faults.push_back("the releases differ");
  for (const Release& release : first.store.written) {
    if (Status s = check_release(release); !s) found.faults.push_back(s.error().message);
  }
  return found;
}

bool within(const Bounds& loss, Ticks epsilon) {
  const long double limit = static_cast<long double>(epsilon) / kTicksPerEpsilon + kResolution;
  return loss.hi <= limit && loss.lo >= -limit;
}

constexpr std::int64_t kFar = 100'000;  // far enough, and near enough that the intervals of the loss stay narrow
constexpr std::array<std::pair<std::int64_t, std::int64_t>, 6> kChoices = {
    {{0, 0}, {kFar, kFar}, {kFar, -kFar}, {-kFar, kFar}, {kFar, 0}, {0, kFar}}};

TEST(ExpectingProof, BothDrawsTogetherCostEpsilon) {
  for (const char* name : {"uniform", "identity", "eug", "anchor", "multigrid", "daf-entropy"}) {
    const Mechanism& mechanism = *find_mechanism(name);
    long double most = 0;
    int refused = 0, made = 0;
    for (std::size_t i = 0; i < 120; ++i) {
      std::mt19937_64 random(7'000 + i);
      const std::uint32_t k = std::array{1u, 2u, 5u}[i / 6 % 3];
      const NeighbourPair pair = random_pair(random, 2, k, 400);
      PublishRequest request = request_for(1'000'000 + random() % kTicksPerEpsilon, random() % 3'000, name);
      request.unit = k == 1 ? Unit::trip : Unit::user;
      request.k = k;
      request.expected->accept_total_only = random() % 2 == 0;
      std::vector<Matrix> with, without;
      with.push_back(pair.first.matrix());
      without.push_back(pair.second.matrix());
      if (!check_mechanism(mechanism, request.parts[0].params, with[0].domain())) continue;
      const Replayed found = replay(request, with, without, fmt::format("proof {}", i), kChoices[i % kChoices.size()]);
      ASSERT_TRUE(found.faults.empty()) << name << " " << i << ": " << found.faults[0];
      const Ticks limit = found.refused ? first_share(request.epsilon) : request.epsilon;
      ASSERT_TRUE(within(found.loss, limit))
          << name << " " << i << ": " << static_cast<double>(found.loss.hi) << " of " << format_epsilon(limit);
      most = std::max(most, std::max(found.loss.hi, -found.loss.lo) / static_cast<long double>(request.epsilon) * 1e9L);
      refused += found.refused;
      made += !found.refused;
    }
    EXPECT_GT(most, 0.99L) << name;
    EXPECT_GT(refused, 10) << name;
    EXPECT_GT(made, 30) << name;
  }
}

// Two parts: each at the whole epsilon, for a unit has k trips in both together. One decision by both totals.
TEST(ExpectingProof, AndOfDisjointPartsToo) {
  const Mechanism& mechanism = *find_mechanism("identity");
  const std::vector<PublishPart> parts = {{"2-stops", &mechanism, *read_params(mechanism, {}), {}},
                                          {"3-stops", &mechanism, *read_params(mechanism, {}), {}}};
  std::mt19937_64 random(11);
  long double most = 0;
  int refused = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    const std::uint32_t k = 2 + static_cast<std::uint32_t>(random() % 4);
    const auto in_first = static_cast<std::uint32_t>(random() % (k + 1));
    std::vector<Matrix> with, without;
    for (std::size_t part = 0; part < 2; ++part) {
      Trips trips{std::vector<std::uint64_t>(part + 2, 4), {}};
      const auto add = [&] {
        auto& cell = trips.cells.emplace_back();
        for (std::size_t a = 0; a < trips.shape.size(); ++a) cell.push_back(static_cast<std::uint32_t>(random() % 4));
      };
      for (std::uint64_t others = random() % 40; others > 0; --others) add();
      without.push_back(trips.matrix());
      for (std::uint32_t n = part == 0 ? in_first : k - in_first; n > 0; --n) add();
      with.push_back(trips.matrix());
    }
    PublishRequest request = request_for(kTicksPerEpsilon / 2, random() % 5'000);
    request.unit = Unit::user;
    request.k = k;
    request.expected->accept_total_only = i % 2 == 0;
    request.parts = parts;
    const Replayed found = replay(request, with, without, fmt::format("parts {}", i), kChoices[i % kChoices.size()]);
    ASSERT_TRUE(found.faults.empty()) << i << ": " << found.faults[0];
    ASSERT_TRUE(within(found.loss, found.refused ? first_share(request.epsilon) : request.epsilon)) << i;
    most = std::max({most, found.loss.hi, -found.loss.lo});
    refused += found.refused;
  }
  EXPECT_GT(most, 0.49L);
  EXPECT_GT(refused, 5);
}

}  // namespace
}  // namespace stopover
