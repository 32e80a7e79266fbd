// The audit must see what is wrong and let pass what is right. Fixed keys; with fresh ones a right mechanism would be
// accused once in 10,000 audits.
//
// STOPOVER_LONG_TESTS=1 audits at the epsilon of the documentation, 0.5, and tighter; without it at 1.
#include "eval/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "eval/black_box.h"
#include "eval/printed_selection.h"
#include "testing/exact_dice.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

bool long_tests() { return std::getenv("STOPOVER_LONG_TESTS") != nullptr; }

using Noise = BoxNoise;

TEST(BlackBox, RandomisedResponseIsMeasured) {
  // Tells its side with probability 3/4: epsilon is log 3 exactly.
  const BlackBox box = [](int side, std::uint64_t run) -> Shown {
    Noise noise(side, run);
    const std::uint64_t told = static_cast<std::uint64_t>(noise.uniform() < 0.75 ? side : 1 - side);
    return {told, told};
  };
  const AuditEvent event = find_event(box, 20'000);
  const TestedEvent tested = test_event(box, event, 20'000, 400'000, 1e-4);
  EXPECT_LE(tested.lower_bound, std::log(3.0));
  EXPECT_GT(tested.lower_bound, 0.97 * std::log(3.0));
  EXPECT_NEAR(static_cast<double>(tested.hits) / 400'000, 0.75, 0.01);
}

TEST(BlackBox, NothingIsFoundWhereNothingIs) {
  const BlackBox box = [](int side, std::uint64_t run) -> Shown {
    Noise noise(side, run);
    const auto told = static_cast<std::uint64_t>(noise.uniform() * 50);
    return {told, told / 7};
  };
  EXPECT_EQ(test_event(box, find_event(box, 20'000), 20'000, 100'000, 1e-4).lower_bound, 0);
}

// The luckiest of thousands of outcomes must not be preferred to an event that is really there.
TEST(BlackBox, LuckIsNotPromising) {
  const BlackBox box = [](int side, std::uint64_t run) -> Shown {
    Noise noise(side, run);
    return {static_cast<std::uint64_t>(noise.uniform() * 5000), 0};
  };
  EXPECT_LT(find_event(box, 20'000).promise, 0.05);
}

TEST(BlackBox, TheNeededRunsAreEnough) {
  AuditEvent event;
  event.outcomes = {1};
  event.p = 0.3;
  event.q = 0.2;
  const std::uint64_t runs = runs_needed(event, 0.05, 1e-4);
  const BlackBox box = [](int side, std::uint64_t run) -> Shown {
    const auto told = static_cast<std::uint64_t>(Noise(side, run).uniform() < (side == 0 ? 0.3 : 0.2));
    return {told, told};
  };
  EXPECT_GT(test_event(box, event, 0, runs, 1e-4).lower_bound, std::log(1.5) - 0.08);
}

// The paper's selection: add Laplace noise to the p objective values and take the least. `scale` is the noise's.
double audit_literal_selection(double scale, std::size_t p, std::uint64_t runs) {
  double most = 0;
  std::vector<std::pair<AuditEvent, BlackBox>> found;
  // The scores of audit.cc's selection pairs: the first candidate moves up by 20/11, the others down, as a trip is
  // added.
  for (double middle : {-40.0, -20.0, -10.0, -5.0, 0.0, 2.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0}) {
    const BlackBox box = printed_selection(scale, p, middle);
    found.emplace_back(find_event(box, 50'000), box);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first.promise > b.first.promise; });
  for (std::size_t i = 0; i < 3; ++i) {
    most = std::max(most, test_event(found[i].second, found[i].first, 50'000, runs, 1e-4 / 3).lower_bound);
  }
  return most;
}

TEST(Audit, ThePapersPrintedSelectionNoiseIsCaught) {
  // Algorithm as printed: Lap(2/(p eps)) for a claim of eps = 0.1 with p = 10 candidates.
  const double measured = audit_literal_selection(printed_scale(0.1, 10), 10, 600'000);
  EXPECT_GT(measured, 1.8) << "eighteen times the claim";
  RecordProperty("measured", std::to_string(measured));
}

TEST(Audit, ThePapersBodyTextIsCaughtToo) {
  // Body text: Lap(2/eps), claim 0.1; the loss is up to 2 eps.
  const double measured = audit_literal_selection(2 / 0.1, 10, 1'500'000);
  EXPECT_GT(measured, 0.15) << "half as much again as the claim";
  RecordProperty("measured", std::to_string(measured));
}

TEST(Audit, NoiseOfTheRightScaleIsNotAccused) {
  // Lap(4/eps) would be right: every score moves by at most 2, the gap by at most 4.
  EXPECT_LE(audit_literal_selection(4 / 0.1, 10, 300'000), 0.1);
}

class AuditEvery : public ::testing::TestWithParam<const char*> {};

TEST_P(AuditEvery, MechanismKeepsItsClaimAndIsSeen) {
  AuditSpec spec;
  spec.mechanism = find_mechanism(GetParam());
  spec.params = *read_params(*spec.mechanism, {});
  spec.epsilon = long_tests() ? kTicksPerEpsilon / 2 : kTicksPerEpsilon;
  spec.explore_runs = long_tests() ? 20'000 : 4'000;
  spec.slack = long_tests() ? 0.04 : 0.1;
  const AuditReport report = audit_mechanism(spec);
  EXPECT_LE(report.lower_bound, static_cast<double>(spec.epsilon) / 1e9) << report.best_pair;
  EXPECT_GE(report.lower_bound, 0.85 * report.exact_worst) << report.best_pair;
  EXPECT_LE(report.exact_worst, static_cast<double>(spec.epsilon) / 1e9 + 1e-12);
  EXPECT_GT(report.exact_worst, 0.9 * static_cast<double>(spec.epsilon) / 1e9);
  EXPECT_TRUE(report.pass());
  EXPECT_GE(report.pairs, std::string_view(GetParam()) == "daf-homogeneity" ? 12u : 5u);
}

constexpr const char* kSeenFully[] = {"identity",    "uniform",         "eug",       "ebp",   "mkm",
                                      "daf-entropy", "daf-homogeneity", "multigrid", "anchor"};
INSTANTIATE_TEST_SUITE_P(TheOnesToUse, AuditEvery, ::testing::ValuesIn(kSeenFully));

// Releases that lean on an earlier one tell of this period's trips what epsilon allows, and the audit sees as much of
// it as of others. The loss of two stops is spread over the counts of both maps and of the joint tree, with history or
// without it, so that an event that has most of it is rare: 4,000 runs find one of 0.74, leaning or alone.
TEST(Audit, LeaningOnAnEarlierReleaseKeepsTheClaimAndIsSeen) {
  AuditSpec spec;
  spec.mechanism = find_mechanism("anchor");
  spec.params = *read_params(*spec.mechanism, {});
  spec.epsilon = kTicksPerEpsilon;
  spec.explore_runs = 20'000;
  spec.slack = long_tests() ? 0.04 : 0.1;
  for (const AuditPair& pair : leaning_pairs(spec)) {
    const AuditReport report = audit_over({pair}, spec);
    EXPECT_LE(report.lower_bound, 1) << pair.name;
    EXPECT_GE(report.lower_bound, 0.85 * report.exact_worst) << pair.name;
    EXPECT_LE(report.exact_worst, 1 + 1e-12) << pair.name;
    EXPECT_GT(report.exact_worst, 0.9) << pair.name;
    EXPECT_TRUE(report.pass()) << pair.name;
  }
}

// Every other row of the table. A descent's worst case is rarer than these runs find (kernel_descent_test.cc drives it
// there), so less is asked of what the audit sees; above the claim it may see nothing.
class AuditPeer : public ::testing::TestWithParam<std::size_t> {};

TEST_P(AuditPeer, KeepsItsClaimAndIsSeen) {
  AuditSpec spec;
  spec.mechanism = &mechanisms()[GetParam()];
  const std::string_view name = spec.mechanism->name;
  for (const char* known : kSeenFully) {
    if (name == known) GTEST_SKIP() << "audited above";
  }
  spec.params = *read_params(*spec.mechanism, {});
  spec.epsilon = kTicksPerEpsilon;
  spec.explore_runs = long_tests() ? 20'000 : 1'500;
  spec.most_runs = long_tests() ? 300'000 : 20'000;
  spec.slack = long_tests() ? 0.04 : 0.2;
  const AuditReport report = audit_mechanism(spec);
  EXPECT_LE(report.lower_bound, 1) << report.best_pair;
  EXPECT_LE(report.exact_worst, 1 + 1e-12);
  EXPECT_GT(report.lower_bound, 0.25) << report.best_pair << ", exactly " << report.exact_worst;
  RecordProperty("lower_bound", std::to_string(report.lower_bound));
  RecordProperty("exact_worst", std::to_string(report.exact_worst));
}

INSTANTIATE_TEST_SUITE_P(EveryMechanism, AuditPeer, ::testing::Range<std::size_t>(0, mechanisms().size()),
                         [](const auto& row) {
                           std::string name(mechanisms()[row.param].name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A claim of 1 for a mechanism that runs at 1.3 is refuted.
TEST(Audit, AMechanismThatSpendsThirtyPercentMoreIsAccused) {
  AuditSpec spec;
  spec.mechanism = find_mechanism("ebp");
  spec.params = *read_params(*spec.mechanism, {});
  spec.epsilon = 1'300'000'000;
  spec.explore_runs = 4'000;
  spec.slack = 0.1;
  EXPECT_GT(audit_mechanism(spec).lower_bound, 1.0);
}

// Rank histograms have no mechanism of their own yet must keep their price.
class AuditRanks : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  static AuditSpec spec() {
    AuditSpec spec;
    spec.epsilon = kTicksPerEpsilon;
    spec.k = GetParam();
    spec.explore_runs = long_tests() ? 20'000 : 4'000;
    spec.slack = long_tests() ? 0.04 : 0.1;
    return spec;
  }
};

TEST_P(AuditRanks, KeepTheirClaimAndAreSeen) {
  const AuditReport report = audit_mechanism(spec());
  EXPECT_LE(report.lower_bound, 1) << report.best_pair;
  EXPECT_GE(report.lower_bound, 0.85 * report.exact_worst) << report.best_pair;
  EXPECT_LE(report.exact_worst, 1 + 1e-12);
  EXPECT_GT(report.exact_worst, 0.99);
  EXPECT_TRUE(report.pass());
  EXPECT_EQ(report.pairs, 6u);
  EXPECT_EQ(report.best_pair.substr(0, 5), "ranks");
  RecordProperty("lower_bound", std::to_string(report.lower_bound));
}

// Dice that draw counts with too little noise: as if there were fewer lattices, or fewer trips in a unit.
class NarrowDice final : public ExactDice {
 public:
  NarrowDice(const ReleaseKey& key, std::uint64_t times) : stream_(key), times_(times) {}
  void count(const StreamLabel& label, Rate rate, std::span<const std::int64_t> truth,
             std::span<std::int64_t> released) override {
    stream_.count(label, {rate.num * times_, rate.den}, truth, released);
  }

 private:
  StreamDice stream_;
  std::uint64_t times_;
};

// Twice the rate, as for half of the lattices: every pair shows it.
TEST_P(AuditRanks, TooLittleNoiseIsCaughtInEveryPair) {
  for (const AuditPair& pair : audit_pairs(spec())) {
    const std::array<Matrix, 2> matrices = {pair.without.matrix(), pair.with.matrix()};
    const auto bound = [&](std::uint64_t times) {
      const BlackBox box = [&](int side, std::uint64_t run) -> Shown {
        NarrowDice dice(test_key(pair.name + std::to_string(side) + " " + std::to_string(run)), times);
        Kernel kernel(matrices[static_cast<std::size_t>(side)], dice, kTicksPerEpsilon, GetParam());
        const std::uint64_t number = pair.plan(kernel).release.number;
        return {number, number};
      };
      const AuditEvent event = find_event(box, 4'000);
      return test_event(box, event, 4'000, 40'000, 1e-4).lower_bound;
    };
    EXPECT_GT(bound(2), 1) << pair.name << ": twice the rate";
    EXPECT_LE(bound(1), 1) << pair.name << ": the right one";
  }
}

INSTANTIATE_TEST_SUITE_P(TripsOfAUnit, AuditRanks, ::testing::Values(1u, 3u));

}  // namespace
}  // namespace stopover
