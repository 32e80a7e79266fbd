#include "publish/publish.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "disk/sha256.h"
#include "publish/unfinished_period.h"
#include "testing/fake_file_system.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

Result<PublishOutcome> publish_once(const PublishRequest& request, const Matrix& matrix, const PublishDoors& doors) {
  return publish(request, {&matrix, 1}, doors);
}

// Two files through the file system under test; the second one is written only after the first.
class FakeStore : public ReleaseStore {
 public:
  explicit FakeStore(FileSystem& files) : files_(files) {}

  Status close_folder(const std::string&) override { return {}; }
  Status open_folder(const std::string&) override { return {}; }
  Result<std::vector<std::string>> write(const Release& release, const std::string& folder) override {
    if (Status s = files_.write_file(folder + "/joint", table(release)); !s) return s.error();
    if (Status s = files_.write_file(folder + "/card", card(release)); !s) return s.error();
    return std::vector<std::string>{"joint", "card"};
  }
  Result<std::string> verify(const Release& release, const std::string& folder) override {
    if (refuse) return Error{Failure::check_failed, "the release is not what was written"};
    const Result<std::string> joint = files_.read_file(folder + "/joint"), text = files_.read_file(folder + "/card");
    if (!joint || !text) return joint ? text.error() : joint.error();
    if (*joint != table(release) || *text != card(release)) return Error{Failure::check_failed, "it differs"};
    return sha256_of(*joint + *text);
  }
  Result<std::string> content(const std::string& folder) override {
    const Result<std::string> joint = files_.read_file(folder + "/joint"), text = files_.read_file(folder + "/card");
    if (!joint || !text) return joint ? text.error() : joint.error();
    return sha256_of(*joint + *text);
  }
  Result<std::string> ledger_head(const std::string& folder) override {
    const Result<std::string> text = files_.read_file(folder + "/card");
    if (!text) return text.error();
    if (!text->ends_with("end")) return Error{Failure::bad_input, "the card is cut"};
    return text->substr(0, text->find(' '));
  }

  bool refuse = false;

 private:
  static std::string card(const Release& r) {
    return fmt::format("{} {} {} {} {} end", r.ledger_head, r.mechanism, r.number, r.date, r.randomness.text());
  }
  static std::string table(const Release& r) {
    std::string text;
    for (const std::int64_t count : r.tables[0].count) text += std::to_string(count) + " ";
    return text + "end";
  }
  FileSystem& files_;
};

Matrix small_matrix() {
  MatrixBuilder builder(*Domain::of_shape({4, 4}));
  builder.add(std::array<std::uint32_t, 2>{1, 2}, 5);
  return std::move(builder).build();
}

PublishRequest request_about(const std::string& output, Ticks epsilon = 10) {
  PublishRequest request;
  const Mechanism* uniform = find_mechanism("uniform");
  request.parts = {{"", uniform, *read_params(*uniform, {}), {}}};
  request.epsilon = epsilon;
  request.output = output;
  request.ledger = "home/city.ledger";
  request.budget = 100;
  request.state_dir = "home/state";
  request.time = "2025-03-01T09:30:00Z";
  return request;
}

constexpr std::string_view kPartial = "home/.x.odr.partial-00000000000000000000000000000001";

// One curator's machine: a fake disk, and what to run on it.
struct PublishWorld {
  explicit PublishWorld(std::uint64_t seed) : files(seed) {
    (void)files.make_directory("home");
    (void)files.fsync_dir("");
  }
  Result<PublishOutcome> run(const PublishRequest& request) { return publish_once(request, matrix, doors()); }
  PublishDoors doors() {
    PublishDoors doors{files, store, KeySource::repeatable("publish", [this]() -> Result<ReleaseKey> {
                         ++keys;
                         return test_key("publish");
                       })};
    doors.phase = [this](std::string_view name) { phases.emplace_back(name); };
    doors.spent_before = [this](const LedgerChain& chain) { told = chain.spent; };
    doors.interrupted = [this] { return interrupt_at != 0 && --interrupt_at == 0; };
    return doors;
  }
  // As the next process finds it: what a dead one had only announced is charged.
  Ticks spent() {
    if (!files.exists("home/city.ledger")) return 0;
    const Result<Ledger> ledger = Ledger::open(files, "home/city.ledger", std::nullopt, "home/state");
    EXPECT_TRUE(ledger) << ledger.error().message;
    return ledger ? ledger->chain().spent : 0;
  }
  // A release under its final name is whole, and its reservation is in the ledger.
  void expect_whole(const std::string& output) {
    if (!files.exists(output)) return;
    const Result<std::string> joint = files.read_file(output + "/joint");
    ASSERT_TRUE(joint) << joint.error().message;
    EXPECT_TRUE(joint->ends_with("end")) << *joint;
    const Result<std::string> head = store.ledger_head(output);
    ASSERT_TRUE(head) << head.error().message;
    Result<Ledger> ledger = Ledger::open(files, "home/city.ledger", std::nullopt, "home/state");
    ASSERT_TRUE(ledger) << ledger.error().message;
    const Status seen = ledger->witness(*parse_head(*head), output);
    EXPECT_TRUE(seen) << seen.error().message;
  }

  FakeFileSystem files;
  FakeStore store{files};
  Matrix matrix = small_matrix();
  int keys = 0;
  Ticks told = 0;
  int interrupt_at = 0;
  std::vector<std::string> phases;
};

PublishRequest request_of_january() {
  PublishRequest request = request_about("home/2019-01.odr");
  request.budget.reset();
  request.rule = PeriodRule{PeriodKind::month, "UTC", "trip", 20, 0};
  request.at = parse_period_range("2019-01");
  return request;
}

// A period's own release: wherever the process dies, the release is whole or not there; and if it is out without a
// record of its end, the record is made up for, once.
TEST(PublishPeriod, IsClosedWithItsReleaseAlsoAfterAKill) {
  PublishRequest request = request_of_january();
  int made_up = 0, lost = 0;
  for (std::uint64_t n = 0; n < 200; ++n) {
    PublishWorld world(n);
    world.files.die_after(n);
    (void)world.run(request);
    world.files.end_process();
    if (!world.files.exists(request.ledger)) continue;
    const bool out = world.files.exists(request.output);
    const Result<LedgerChain> before = Ledger::read(world.files, request.ledger);
    ASSERT_TRUE(before);
    const bool closed = !before->periods->closed.empty();
    EXPECT_LE(closed, out) << "a period is closed by its release";
    EXPECT_LE(out, before->spent > 0) << "a release is paid for";
    lost += before->spent > 0 && !out ? 1 : 0;
    if (!out) continue;
    made_up += closed ? 0 : 1;
    for (int twice = 0; twice < 2; ++twice) {
      const Status finished = finish_period(request, world.doors());
      ASSERT_TRUE(finished) << finished.error().message;
      const Result<LedgerChain> after = Ledger::read(world.files, request.ledger);
      EXPECT_EQ(after->periods->closed.size(), 1U);
      EXPECT_TRUE(after->open.empty());
      EXPECT_EQ(after->spent, 10U);
      const auto closes = [](const LedgerRecord& r) { return r.kind == RecordKind::close; };
      EXPECT_EQ(std::count_if(after->records.begin(), after->records.end(), closes), 1);
    }
  }
  EXPECT_GT(made_up, 0);
  EXPECT_GT(lost, 0);
}

// Wherever the process dies: never a second release of its period. Where it died before anything was out, it may be
// tried again in the same folder.
TEST(PublishPeriod, HasNoSecondReleaseAfterAKill) {
  PublishRequest request = request_of_january();
  int refused = 0, tried_again = 0;
  for (std::uint64_t n = 0; n < 800; ++n) {
    if (n == 400) request.expected = Expectation{1, true};
    PublishWorld world(n);
    (void)world.files.make_directory("home/other");
    world.files.die_after(n / 2 % 200);
    (void)world.run(request);
    world.files.end_process();
    const bool out = world.files.exists(request.output);
    const bool left = world.files.exists("home/.2019-01.odr.partial-00000000000000000000000000000001");
    PublishRequest again = request;
    if (out || n % 2 == 0) again.output = "home/other/2019-01.odr";
    const Result<PublishOutcome> second = world.run(again);
    EXPECT_FALSE(second && out) << n;
    tried_again += second && left && world.spent() > 10 ? 1 : 0;
    if (second) continue;
    const bool unsure = second.error().message.find("its release may be out") != std::string::npos;
    EXPECT_FALSE(unsure && left && again.output == request.output) << "nothing is out";
    refused += unsure ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(tried_again, 0);
}

std::vector<RecordKind> kinds(PublishWorld& world) {
  std::vector<RecordKind> result;
  const Result<LedgerChain> chain = Ledger::read(world.files, "home/city.ledger");
  for (const LedgerRecord& r : chain->records) result.push_back(r.kind);
  return result;
}

TEST(PublishTest, ReservesBuildsAndCommits) {
  PublishWorld world(1);
  const Result<PublishOutcome> outcome = world.run(request_about("home/x.odr"));
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(kinds(world), (std::vector{RecordKind::genesis, RecordKind::reserve, RecordKind::commit}));
  EXPECT_EQ(outcome->spent, 10U);
  EXPECT_EQ(outcome->left, 90U);
  EXPECT_EQ(outcome->number, 2U);
  EXPECT_EQ(outcome->partitions, 1U);
  const Result<LedgerChain> chain = Ledger::read(world.files, "home/city.ledger");
  EXPECT_EQ(chain->records.back().note, outcome->content_sha256);
  EXPECT_EQ(outcome->ledger_head, fmt::format("{}:2:{}", chain->head().id, chain->records[1].hash));
  EXPECT_EQ(*world.store.ledger_head("home/x.odr"), outcome->ledger_head);
  EXPECT_FALSE(world.files.exists(std::string(kPartial)));
  EXPECT_EQ(world.told, 0U);
}

// What a release says of its randomness comes from where its key came from, and from nowhere else.
TEST(PublishTest, TheSourceOfTheKeyStandsInTheRelease) {
  const auto said = [](const KeySource& source) {
    PublishWorld world(1);
    PublishDoors doors = world.doors();
    doors.key = source;
    const Result<PublishOutcome> outcome = publish_once(request_about("home/x.odr"), world.matrix, doors);
    EXPECT_TRUE(outcome) << outcome.error().message;
    const std::string card = *world.files.read_file("home/x.odr/card");
    EXPECT_TRUE(card.ends_with(outcome->randomness.text() + " end")) << card;
    return outcome->randomness;
  };
  const auto draw = []() -> Result<ReleaseKey> { return test_key("a"); };
  EXPECT_EQ(said(KeySource::system()), Randomness::system());
  EXPECT_EQ(said(KeySource::repeatable("a", draw)), Randomness::repeatable("a"));
  EXPECT_EQ(said(draw), Randomness()) << "a bare function tells nothing";
  EXPECT_EQ(said(draw_release_key), Randomness());
}

TEST(PublishTest, TwiceCostsTwiceAndIsToldFirst) {
  PublishWorld world(1);
  ASSERT_TRUE(world.run(request_about("home/x.odr")));
  PublishRequest again = request_about("home/y.odr");
  again.budget.reset();
  ASSERT_TRUE(world.run(again));
  EXPECT_EQ(world.told, 10U);
  EXPECT_EQ(world.spent(), 20U);
}

TEST(PublishTest, RefusalsComeBeforeTheReservation) {
  PublishWorld world(1);
  ASSERT_TRUE(world.run(request_about("home/x.odr", 60)));
  const std::string ledger = world.files.content("home/city.ledger");
  const int keys = world.keys;
  const auto refused = [&](const PublishRequest& request, Failure failure) {
    const Result<PublishOutcome> outcome = world.run(request);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().failure, failure) << outcome.error().message;
    EXPECT_EQ(world.files.content("home/city.ledger"), ledger);
  };
  refused(request_about("home/x.odr"), Failure::output_exists);
  refused(request_about("home/y.odr", 41), Failure::privacy);
  refused(request_about("nowhere/y.odr"), Failure::usage);
  refused(request_about("home/y.odr/"), Failure::usage);
  PublishRequest other = request_about("home/y.odr");
  other.budget = 99;
  refused(other, Failure::privacy);
  other = request_about("home/y.odr");
  other.witnesses = {"home/none.odr"};
  refused(other, Failure::bad_input);
  world.interrupt_at = 1;
  refused(request_about("home/y.odr"), Failure::interrupted);
  EXPECT_EQ(world.keys, keys);
  EXPECT_FALSE(world.files.exists("home/y.odr"));

  other = request_about("home/y.odr", 101);
  other.ledger = "home/new.ledger";
  EXPECT_EQ(world.run(other).error().failure, Failure::privacy);
  other.epsilon = 10;
  other.budget.reset();
  EXPECT_EQ(world.run(other).error().failure, Failure::usage);
  EXPECT_FALSE(world.files.exists("home/new.ledger"));
}

TEST(PublishTest, AHeldLedgerIsTriedAgainUntilItIsFreeOrTheWaitIsOver) {
  PublishWorld world(1);
  ASSERT_TRUE(world.run(request_about("home/x.odr")));
  Result<Ledger> held = Ledger::open(world.files, "home/city.ledger", std::nullopt, "home/state");
  ASSERT_TRUE(held);
  EXPECT_EQ(world.run(request_about("home/y.odr")).error().failure, Failure::locked);
  int tries = 0;
  PublishDoors doors = world.doors();
  doors.try_again = [&] { return ++tries < 5; };
  EXPECT_EQ(publish_once(request_about("home/y.odr"), world.matrix, doors).error().failure, Failure::locked);
  EXPECT_EQ(tries, 5);
  world.interrupt_at = 2;
  tries = 0;
  EXPECT_EQ(publish_once(request_about("home/y.odr"), world.matrix, doors).error().failure, Failure::interrupted);
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(held->chain().spent, 10U);
  doors.try_again = [&] {
    held = Error{Failure::usage, "closed"};
    return true;
  };
  PublishRequest request = request_about("home/y.odr");
  request.note = "at last";
  ASSERT_TRUE(publish_once(request, world.matrix, doors));
  const Result<LedgerChain> chain = Ledger::read(world.files, "home/city.ledger");
  EXPECT_EQ(chain->records[3].words.at("release"), "y.odr");
  EXPECT_EQ(chain->records[3].words.at("comment"), "at last");
}

TEST(PublishTest, WitnessesFindAnotherOrRolledBackLedger) {
  PublishWorld world(1);
  ASSERT_TRUE(world.run(request_about("home/x.odr")));
  const std::string early = world.files.content("home/city.ledger");
  ASSERT_TRUE(world.run(request_about("home/y.odr")));
  PublishRequest third = request_about("home/z.odr");
  third.state_dir = "";
  third.witnesses = {"home/x.odr", "home/y.odr"};
  world.files.content("home/city.ledger") = early;
  EXPECT_EQ(world.run(third).error().failure, Failure::privacy);
  third.witnesses = {"home/x.odr"};
  EXPECT_TRUE(world.run(third));
}

TEST(PublishTest, AFailureAfterTheReservationIsSpentAndSaysSo) {
  PublishWorld world(1);
  world.store.refuse = true;
  Result<PublishOutcome> outcome = world.run(request_about("home/x.odr"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().failure, Failure::check_failed);
  EXPECT_NE(outcome.error().message.find("is spent"), std::string::npos);
  EXPECT_EQ(kinds(world), (std::vector{RecordKind::genesis, RecordKind::reserve, RecordKind::abort}));
  EXPECT_FALSE(world.files.exists("home/x.odr"));
  EXPECT_FALSE(world.files.exists(std::string(kPartial)));
  EXPECT_EQ(world.spent(), 10U);

  world.store.refuse = false;
  for (const int when : {2, 3, 4}) {  // the first question comes before the reservation
    world.interrupt_at = when;
    outcome = world.run(request_about("home/x.odr"));
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().failure, Failure::interrupted);
    EXPECT_FALSE(world.files.exists("home/x.odr"));
    EXPECT_FALSE(world.files.exists(std::string(kPartial)));
  }
  EXPECT_EQ(world.spent(), 40U);
  world.interrupt_at = 0;
  PublishDoors doors = world.doors();
  doors.key = []() -> Result<ReleaseKey> { return Error{Failure::internal, "no entropy"}; };
  EXPECT_EQ(publish_once(request_about("home/x.odr"), world.matrix, doors).error().failure, Failure::internal);
  doors.key = []() -> Result<ReleaseKey> { throw std::bad_alloc(); };
  EXPECT_EQ(publish_once(request_about("home/x.odr"), world.matrix, doors).error().failure, Failure::internal);
  EXPECT_EQ(world.spent(), 60U);
}

TEST(PublishTest, TheKeyIsDrawnAfterTheReservationIsDurable) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    PublishWorld world(seed);
    PublishDoors doors = world.doors();
    doors.key = [&]() -> Result<ReleaseKey> {
      world.files.die_after(0);
      return test_key("publish");
    };
    EXPECT_FALSE(publish_once(request_about("home/x.odr"), world.matrix, doors));
    world.files.lose_power();
    EXPECT_EQ(world.spent(), 10U);
  }
}

TEST(PublishTest, WhatAnotherPutThereMeanwhileIsLeftAlone) {
  PublishWorld world(1);
  PublishDoors doors = world.doors();
  doors.phase = [&](std::string_view name) {
    if (name == "verifying the release") (void)world.files.write_file("home/x.odr", "somebody else's");
  };
  const Result<PublishOutcome> outcome = publish_once(request_about("home/x.odr"), world.matrix, doors);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().failure, Failure::output_exists);
  EXPECT_EQ(*world.files.read_file("home/x.odr"), "somebody else's");
  EXPECT_EQ(world.spent(), 10U);
}

TEST(PublishTest, AStaleFolderOfAKilledRunIsReplaced) {
  PublishWorld world(1);
  ASSERT_TRUE(world.run(request_about("home/first.odr")));
  (void)world.files.make_directory(std::string(kPartial));
  (void)world.files.write_file(std::string(kPartial) + "/junk", "half a release");
  ASSERT_TRUE(world.run(request_about("home/x.odr")));
  EXPECT_FALSE(world.files.exists(std::string(kPartial)));
  EXPECT_FALSE(world.files.exists("home/x.odr/junk"));
}

// Three releases in a row; the process dies, or the power fails, before the n-th step of the disk, for every n.
TEST(PublishTest, SurvivesACrashAtEveryStep) {
  const std::vector<std::string> outputs = {"home/x.odr", "home/y.odr", "home/z.odr"};
  std::uint64_t steps = 0;
  {
    PublishWorld world(0);
    steps = world.files.steps();
    for (const std::string& output : outputs) ASSERT_TRUE(world.run(request_about(output)));
    steps = world.files.steps() - steps;
  }
  ASSERT_GT(steps, 60U);
  int published = 0;
  for (std::uint64_t n = 0; n <= steps; ++n) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE(fmt::format("step {} seed {}", n, seed));
      PublishWorld world(seed);
      world.files.die_after(n);
      Ticks acknowledged = 0;
      std::vector<std::string> promised;
      for (const std::string& output : outputs) {
        const Result<PublishOutcome> outcome = world.run(request_about(output));
        if (!outcome) break;
        acknowledged = outcome->spent;
        promised.push_back(output);
      }
      if (seed % 3 == 0) {
        world.files.end_process();
      } else {
        world.files.lose_power();
      }
      const Ticks spent = world.spent();
      EXPECT_GE(spent, acknowledged);
      EXPECT_GE(spent, 10 * static_cast<Ticks>(promised.size()));
      for (const std::string& output : promised) EXPECT_TRUE(world.files.exists(output)) << output;
      Ticks visible = 0;
      for (const std::string& output : outputs) {
        world.expect_whole(output);
        visible += world.files.exists(output) ? 10 : 0;
      }
      EXPECT_GE(spent, visible);
      published += static_cast<int>(visible / 10);

      // Life goes on: the next process finds everything usable and pays anew.
      for (const std::string& output : outputs) {
        if (world.files.exists(output)) continue;
        const Ticks before = world.spent();
        const Result<PublishOutcome> outcome = world.run(request_about(output));
        ASSERT_TRUE(outcome) << outcome.error().message;
        EXPECT_EQ(world.spent(), before + 10);
        world.expect_whole(output);
        const std::string name = output.substr(5);
        const std::string id = Ledger::read(world.files, "home/city.ledger")->head().id;
        EXPECT_FALSE(world.files.exists("home/." + name + ".partial-" + id));
      }
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(published, 100);
}

// An I/O error (a full disk) at every step: an error, nothing half visible, never a refund.
TEST(PublishTest, SurvivesAnErrorAtEveryStep) {
  for (std::uint64_t n = 0; n < 60; ++n) {
    SCOPED_TRACE(fmt::format("step {}", n));
    PublishWorld world(n);
    ASSERT_TRUE(world.run(request_about("home/first.odr")));
    world.files.fail_after(n);
    const Result<PublishOutcome> outcome = world.run(request_about("home/x.odr"));
    world.files.fail_after(1'000'000);
    world.files.end_process();
    EXPECT_GE(world.spent(), 10U);
    world.expect_whole("home/x.odr");
    if (outcome) {
      EXPECT_TRUE(world.files.exists("home/x.odr"));
    }
    if (world.files.exists("home/x.odr")) {
      EXPECT_EQ(world.spent(), 20U);
    }
    if (testing::Test::HasFailure()) return;
  }
}

// Two parts of different shapes under one reservation.
struct Parts {
  Parts() {
    const Mechanism* uniform = find_mechanism("uniform");
    for (const char* name : {"2-stops", "3-stops"})
      parts.push_back({name, uniform, *read_params(*uniform, {}), {{"part", name}}});
    MatrixBuilder builder(*Domain::of_shape({3, 3, 3}));
    builder.add(std::array<std::uint32_t, 3>{1, 2, 0}, 7);
    matrices.push_back(small_matrix());
    matrices.push_back(std::move(builder).build());
  }
  PublishRequest request(const std::string& output, Ticks epsilon = 10) const {
    PublishRequest request = request_about(output, epsilon);
    request.parts = parts;
    return request;
  }
  Result<PublishOutcome> run(PublishWorld& world, const std::string& output) const {
    return publish(request(output), matrices, world.doors());
  }
  std::vector<PublishPart> parts;
  std::vector<Matrix> matrices;
};

// Both or none.
void expect_both(PublishWorld& world, const std::string& output) {
  if (!world.files.exists(output)) return;
  for (const char* part : {"/2-stops.odr", "/3-stops.odr"}) {
    EXPECT_TRUE(world.files.exists(output + part)) << output << part;
    world.expect_whole(output + part);
  }
}

TEST(PublishParts, PaysOnceAndDrawsAKeyForEach) {
  PublishWorld world(1);
  const Parts parts;
  const Result<PublishOutcome> outcome = parts.run(world, "home/x");
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(kinds(world), (std::vector{RecordKind::genesis, RecordKind::reserve, RecordKind::commit}));
  EXPECT_EQ(world.spent(), 10U);
  EXPECT_EQ(world.keys, 2);
  EXPECT_EQ(outcome->partitions, 2U);
  expect_both(world, "home/x");
  for (const char* part : {"home/x/2-stops.odr", "home/x/3-stops.odr"}) {
    EXPECT_EQ(*world.store.ledger_head(part), outcome->ledger_head);
  }
  std::string lines;
  for (const char* part : {"2-stops.odr", "3-stops.odr"}) {
    const std::string folder = std::string("home/x/") + part;
    lines += sha256_of(*world.files.read_file(folder + "/joint") + *world.files.read_file(folder + "/card")) + " " +
             part + "\n";
  }
  EXPECT_EQ(outcome->content_sha256, sha256_of(lines));
  EXPECT_EQ(Ledger::read(world.files, "home/city.ledger")->records.back().note, outcome->content_sha256);
}

TEST(PublishParts, AreRefusedBeforeTheReservation) {
  PublishWorld world(1);
  Parts parts;
  ASSERT_TRUE(parts.run(world, "home/x"));
  EXPECT_EQ(parts.run(world, "home/x").error().failure, Failure::output_exists);
  EXPECT_EQ(parts.run(world, "nowhere/x").error().failure, Failure::usage);
  EXPECT_EQ(publish(parts.request("home/y", 91), parts.matrices, world.doors()).error().failure, Failure::privacy);
  EXPECT_EQ(world.spent(), 10U);
  EXPECT_EQ(world.keys, 2);
}

TEST(PublishParts, AFailureOfOnePartShowsNone) {
  for (const int when : {2, 3, 4, 5}) {
    PublishWorld world(1);
    const Parts parts;
    world.interrupt_at = when;
    const Result<PublishOutcome> outcome = parts.run(world, "home/x");
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().failure, Failure::interrupted);
    EXPECT_FALSE(world.files.exists("home/x"));
    EXPECT_EQ(world.spent(), 10U);
    EXPECT_EQ(kinds(world).back(), RecordKind::abort);
  }
}

TEST(PublishParts, SurviveACrashAtEveryStep) {
  const Parts parts;
  std::uint64_t steps = 0;
  {
    PublishWorld world(0);
    steps = world.files.steps();
    ASSERT_TRUE(parts.run(world, "home/x"));
    ASSERT_TRUE(parts.run(world, "home/y"));
    steps = world.files.steps() - steps;
  }
  int published = 0;
  for (std::uint64_t n = 0; n <= steps; ++n) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(fmt::format("step {} seed {}", n, seed));
      PublishWorld world(seed);
      world.files.die_after(n);
      std::vector<std::string> promised;
      for (const char* output : {"home/x", "home/y"}) {
        if (!parts.run(world, output)) break;
        promised.emplace_back(output);
      }
      if (seed % 3 == 0) {
        world.files.end_process();
      } else {
        world.files.lose_power();
      }
      Ticks visible = 0;
      for (const char* output : {"home/x", "home/y"}) {
        expect_both(world, output);
        visible += world.files.exists(output) ? 10 : 0;
      }
      for (const std::string& output : promised) EXPECT_TRUE(world.files.exists(output)) << output;
      EXPECT_GE(world.spent(), visible);
      published += static_cast<int>(visible / 10);
      if (world.files.exists("home/x")) continue;
      const Ticks before = world.spent();
      const Result<PublishOutcome> again = parts.run(world, "home/x");
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(world.spent(), before + 10);
      expect_both(world, "home/x");
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(published, 50);
}

}  // namespace
}  // namespace stopover
