#include "publish/probed.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "calibrate/probe_plan.h"
#include "privacy/stream_dice.h"
#include "publish/probe_rule.h"
#include "query/answerer.h"
#include "release_io/content_hash.h"
#include "synthetic/generate.h"
#include "testing/proof.h"
#include "testing/rule_check.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

const Mechanism& anchor() { return *find_mechanism("anchor"); }

Matrix city(std::size_t stops, std::uint64_t trips) { return to_matrix(*generate_city(stops, trips, 200, 11)); }

Release probed(const Matrix& matrix, Ticks epsilon, Ticks probes, const std::string& key) {
  StreamDice dice(test_key(key));
  Kernel kernel(matrix, dice, epsilon, 1);
  return run_probed(anchor(), *read_params(anchor(), {}), kernel, Unit::trip, probes);
}

TEST(Probed, IsPaidFromEpsilonAndVerifies) {
  const Matrix matrix = city(2, 20'000);
  Release release = probed(matrix, 500'000'000, 25'000'000, "paid");
  ASSERT_TRUE(release.probes);
  EXPECT_EQ(release.probes->ticks, 25'000'000u);
  EXPECT_EQ(release.probes->lattices, 36u);
  EXPECT_EQ(release.spent, 500'000'000u);
  const auto ranks = std::find_if(release.charges.begin(), release.charges.end(),
                                  [](const Charge& charge) { return charge.purpose == "ranks"; });
  ASSERT_NE(ranks, release.charges.end());
  EXPECT_EQ(ranks->ticks, 25'000'000u);
  release.randomness = Randomness::repeatable("paid");
  ASSERT_TRUE(check_release(release)) << check_release(release).error().message;
  // What the receipt and the probes say must agree, and nothing else may tell intervals.
  Release other = release;
  other.probes->ticks -= 1;
  EXPECT_FALSE(check_release(other));
  other = release;
  other.probes.reset();
  EXPECT_FALSE(check_release(other));
  other = release;
  other.calibration.emplace();
  EXPECT_FALSE(check_release(other));
}

TEST(Probed, WithoutAShareIsTheMechanismItself) {
  const Matrix matrix = city(2, 5'000);
  StreamDice dice(test_key("none"));
  Kernel kernel(matrix, dice, 500'000'000, 1);
  EXPECT_EQ(probed(matrix, 500'000'000, 0, "none"),
            run_mechanism(anchor(), *read_params(anchor(), {}), kernel, Unit::trip));
  EXPECT_EQ(probe_ticks(anchor(), 500'000'000, kProbeShare), 25'000'000u);
  EXPECT_EQ(probe_ticks(*find_mechanism("multigrid"), 500'000'000, kProbeShare), 0u);
  EXPECT_EQ(probe_ticks(anchor(), 500'000'000, 0), 0u);
  EXPECT_FALSE(probe_share_of(0.6));
  EXPECT_FALSE(probe_share_of(-0.1));
  EXPECT_FALSE(probe_share_of(std::nan("")));
  EXPECT_EQ(*probe_share_of(0.05), kProbeShare);
}

// Of three stops: as often one is left free as two, and none of them more often than the others. Otherwise what is
// asked at one stop would be probed at another.
TEST(Probed, LatticesLeaveAllStopsFreeInTurn) {
  const Matrix matrix = city(3, 5'000);
  const Release release = probed(matrix, 500'000'000, 0, "turns");
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Result<ProbePlan> plan = ProbePlan::make(release, seed);
    ASSERT_TRUE(plan);
    std::array<std::size_t, 3> lattices{};              // by stops left free
    std::array<std::array<std::size_t, 3>, 3> taken{};  // of those, by stop that is asked for
    for (const Cuts& cuts : plan->lattices()) {
      std::array<bool, 3> asked{};
      for (std::size_t axis = 0; axis < 6; ++axis) asked[axis / 2] = asked[axis / 2] || !cuts[axis].empty();
      const auto free = static_cast<std::size_t>(std::count(asked.begin(), asked.end(), false));
      ASSERT_LT(free, 3u);
      ++lattices[free];
      for (std::size_t stop = 0; stop < 3; ++stop) taken[free][stop] += asked[stop];
    }
    EXPECT_EQ(lattices, (std::array<std::size_t, 3>{20, 8, 8}));
    for (const std::size_t free : {1, 2}) {
      const auto [least, most] = std::minmax_element(taken[free].begin(), taken[free].end());
      EXPECT_LE(*most - *least, 1u) << free;
    }
  }
}

// What a release certifies of the boxes that were probed, against the trips themselves.
TEST(Probed, WhatIsCertifiedIsSo) {
  const Matrix matrix = city(2, 30'000);
  double proven = 0;
  for (const Ticks probes : {Ticks{100'000'000}, Ticks{5'000'000'000}}) {
    const Release release = probed(matrix, 500'000'000 + probes, probes, "certified");
    ASSERT_TRUE(release.probes);
    const Result<ProbePlan> plan = ProbePlan::make(release, seed_of(release.tables[0]));
    ASSERT_TRUE(plan);
    std::vector<std::map<std::uint64_t, double>> truth(plan->lattices().size());
    for (std::size_t lattice = 0; lattice < truth.size(); ++lattice) {
      for (std::size_t row = 0; row < matrix.keys().size(); ++row) {
        std::uint64_t number = 0;
        for (std::size_t axis = 0; axis < matrix.domain().d(); ++axis) {
          const auto& cuts = plan->lattices()[lattice][axis];
          const std::uint32_t cell = matrix.keys_of_axes().cell(matrix.keys()[row], axis);
          number = number * (cuts.size() + 1) +
                   static_cast<std::uint64_t>(std::upper_bound(cuts.begin(), cuts.end(), cell) - cuts.begin());
        }
        truth[lattice][number] += static_cast<double>(matrix.counts()[row]);
      }
    }
    constexpr std::size_t kCells = Probes::kGroups * Probes::kClasses;
    std::vector<double> all(kCells, 0), above(kCells * Probes::kAbove.size(), 0),
        below(kCells * Probes::kBelow.size(), 0);
    for (const ProbePlan::ExpectedBox& e : plan->expected()) {
      const auto found = truth[e.lattice].find(e.box);
      const double n = found == truth[e.lattice].end() ? 0 : found->second;
      all[e.of.cell] += e.of.weight;
      for (std::size_t i = 0; i < Probes::kAbove.size(); ++i) {
        const bool missed = n > std::max(0.0, e.of.centre + Probes::kAbove[i] * e.of.scale);
        above[e.of.cell * Probes::kAbove.size() + i] += missed ? e.of.weight : 0;
      }
      for (std::size_t i = 0; i < Probes::kBelow.size(); ++i) {
        const bool missed = n < e.of.centre - Probes::kBelow[i] * e.of.scale;
        below[e.of.cell * Probes::kBelow.size() + i] += missed ? e.of.weight : 0;
      }
    }
    for (std::size_t i = 0; i < above.size(); ++i) {
      const double weight = all[i / Probes::kAbove.size()], certified = release.probes->missed_above[i];
      EXPECT_LE(above[i], certified * weight + 1e-9) << i;
      if (weight > 0) proven = std::max(proven, 1 - certified);
    }
    for (std::size_t i = 0; i < below.size(); ++i) {
      EXPECT_LE(below[i], release.probes->missed_below[i] * all[i / Probes::kBelow.size()] + 1e-9) << i;
    }
  }
  EXPECT_GT(proven, 0.9) << "the test must meet a certificate that says something";
}

TEST(Probed, DoesNotDependOnThreads) {
  const Matrix matrix = city(2, 5'000);
  const Release all = probed(matrix, 500'000'000, 25'000'000, "threads");
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_EQ(all, probed(matrix, 500'000'000, 25'000'000, "threads"));
}

// The kernel shows the rule which boxes hold trips: its word on a box must not depend on the others.
TEST(Probed, TheRuleSaysTheSameOfABoxWhateverElseIsAsked) {
  const Matrix matrix = city(2, 5'000);
  const Release release = probed(matrix, 500'000'000, 0, "rule");
  const Result<ProbePlan> plan = ProbePlan::make(release, 7);
  ASSERT_TRUE(plan);
  const ProbeRule rule(*plan);
  std::mt19937_64 random(3);
  for (std::size_t lattice = 0; lattice < plan->lattices().size(); lattice += 5) {
    std::uint64_t all = 1;
    for (const auto& cuts : plan->lattices()[lattice]) all *= cuts.size() + 1;
    std::vector<std::uint64_t> boxes;
    for (int i = 0; i < 40; ++i) boxes.push_back(random() % all);
    std::sort(boxes.begin(), boxes.end());
    boxes.erase(std::unique(boxes.begin(), boxes.end()), boxes.end());
    EXPECT_EQ(rule_fault(rule, lattice, boxes, 5), "") << lattice;
  }
}

// Trips and one unit of k more: drawn outputs, and outputs that an adversary chooses.
TEST(Probed, LosesNoMoreThanEpsilon) {
  std::size_t with_probes = 0;
  long double most = 0;
  for (std::size_t i = 0; i < 120; ++i) {
    std::mt19937_64 random(100 + i);
    const std::uint32_t k = std::array{1u, 2u, 5u}[i % 3];
    const NeighbourPair pair = shared_pair(random, 2 + i / 3 % 2, k, 100);
    const double epsilon = 0.05 * std::exp(std::uniform_real_distribution<double>(0, std::log(100))(random));
    const auto ticks = static_cast<Ticks>(epsilon * 1e9);
    const Plan plan = [&](Kernel& kernel) -> LabResult {
      return {run_probed(anchor(), *read_params(anchor(), {}), kernel, k == 1 ? Unit::trip : Unit::user, ticks / 3)};
    };
    const Proof proof =
        i % 2 == 0 ? prove(plan, pair.first.matrix(), pair.second.matrix(), ticks, k, test_key(std::to_string(i)))
                   : prove(plan, pair.first.matrix(), pair.second.matrix(), ticks, k,
                           Adversary(static_cast<Tactic>(i / 2 % kTactics), random()));
    ASSERT_TRUE(proof.holds()) << i << "\n" << pair.first.text() << "\n" << pair.second.text() << "\n" << proof.text();
    with_probes += proof.made.release.probes.has_value();
    if (proof.made.release.probes) most = std::max(most, proof.share());
  }
  EXPECT_GE(with_probes, 40u) << "the pairs must meet probes";
  EXPECT_GT(most, 0.7L) << "the pairs must come near to epsilon";
}

}  // namespace
}  // namespace stopover
