// Parts published together, every one at the whole epsilon: what one unit can change in all of them is at most epsilon,
// because it has at most k trips in all of them (privacy/AUDIT.md, "Disjoint parts"). Exact, by replay, of drawn
// outputs and of ones that an adversary chooses.
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "mechanism/automatic.h"
#include "mechanism/mechanism.h"
#include "testing/proof.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

constexpr Ticks kPartEpsilon = kTicksPerEpsilon / 2;

// Other people's trips in the parts, and one unit's.
struct Population {
  std::vector<Trips> with, without;
};

// Part i has trips of i + 1 stops (or all of one) on a map of 5 x 5 cells, every other with all its stops in one cell.
Population draw(std::mt19937_64& random, const std::vector<std::uint32_t>& trips_of_unit, bool one_stop = false) {
  Population population;
  for (std::size_t part = 0; part < trips_of_unit.size(); ++part) {
    const std::size_t stops = one_stop ? 1 : part + 1;
    Trips trips{std::vector<std::uint64_t>(2 * stops, 5), {}, 0};
    const auto add = [&] {
      auto& cell = trips.cells.emplace_back();
      const bool stays = random() % 2 == 0;
      for (std::size_t a = 0; a < trips.shape.size(); ++a) {
        cell.push_back(stays && a > 1 ? cell[a - 2] : static_cast<std::uint32_t>(random() % 5));
      }
    };
    for (std::uint64_t n = random() % 30; n > 0; --n) add();
    population.without.push_back(trips);
    for (std::uint32_t n = trips_of_unit[part]; n > 0; --n) add();
    population.with.push_back(trips);
  }
  return population;
}

// The sum of what all parts tell about the unit. No mechanism: what `auto` picks for each part. No adversary: outputs
// are drawn.
Bounds loss(const Mechanism* mechanism, const Population& population, std::uint32_t k, int run,
            const std::optional<Adversary>& adversary, bool& same) {
  Bounds sum = 0;
  for (std::size_t part = 0; part < population.with.size(); ++part) {
    const Matrix with = population.with[part].matrix(), without = population.without[part].matrix();
    const Mechanism& own = mechanism ? *mechanism : *choose_mechanism(with.domain()).mechanism;
    const Params params = *read_params(own, {});
    const auto plan = [&](Kernel& kernel) { return run_mechanism(own, params, kernel, Unit::user); };
    const Proof proof = adversary ? prove(plan, with, without, kPartEpsilon, k, *adversary)
                                  : prove(plan, with, without, kPartEpsilon, k,
                                          test_key("part " + std::to_string(part) + " of run " + std::to_string(run)));
    same = same && proof.faults.empty();
    sum = sum + proof.loss;
  }
  return sum;
}

bool inside(const Bounds& loss) {
  const long double limit = static_cast<long double>(kPartEpsilon) / kTicksPerEpsilon + kResolution;
  return loss.hi <= limit && loss.lo >= -limit;
}

TEST(DisjointParts, AUnitOfKTripsInAllPartsTogetherCostsEpsilon) {
  std::mt19937_64 random(3);
  for (const char* name : {"identity", "uniform", "daf-entropy", "daf-homogeneity", "anchor", "multigrid", "auto"}) {
    const Mechanism* mechanism = find_mechanism(name);
    long double most_drawn = 0, most_chosen = 0;
    for (int run = 0; run < 56; ++run) {
      const std::uint32_t k = 1 + static_cast<std::uint32_t>(random() % 6);
      std::vector<std::uint32_t> share(3);
      for (std::uint32_t trip = 0; trip < k; ++trip) ++share[random() % 3];
      const Population population = draw(random, share, mechanism && mechanism->max_d == 2);
      for (const bool chosen : {false, true}) {
        std::optional<Adversary> adversary;
        if (chosen) adversary.emplace(static_cast<Tactic>(run % kTactics), random());
        bool same = true;
        const Bounds told = loss(mechanism, population, k, run, adversary, same);
        EXPECT_TRUE(same) << name;
        EXPECT_TRUE(inside(told)) << name << " run " << run << ": " << static_cast<double>(told.hi);
        long double& most = chosen ? most_chosen : most_drawn;
        most = std::max({most, told.hi, -told.lo});
      }
    }
    EXPECT_GT(most_drawn, 0.4L) << name << ": the bound is nearly reached, so nothing is given away";
    EXPECT_GT(most_chosen, 0.99L * kPartEpsilon / kTicksPerEpsilon) << name;
  }
}

// Why the bound must be over all parts: k trips in every part are too many.
TEST(DisjointParts, ABoundInEveryPartWouldNotDo) {
  std::mt19937_64 random(4);
  int refuted = 0;
  for (int run = 0; run < 20; ++run) {
    bool same = true;
    refuted += !inside(loss(find_mechanism("uniform"), draw(random, {2, 2, 2}), 2, run, {}, same));
    const Adversary adversary(Tactic::far_above, random());
    EXPECT_FALSE(inside(loss(nullptr, draw(random, {2, 2, 2}), 2, run, adversary, same))) << "three times epsilon";
  }
  EXPECT_GT(refuted, 3);
}

}  // namespace
}  // namespace stopover
