// Parts published together, every one at the whole epsilon: what one unit can change in all of them is at most epsilon,
// because it has at most k trips in all of them (privacy/AUDIT.md, "Disjoint parts"). Exact, by replay.
#include <gtest/gtest.h>

#include <random>

#include "mechanism/mechanism.h"
#include "testing/proof.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

constexpr Ticks kEpsilon = kTicksPerEpsilon / 2;

// Other people's trips in the parts, and one unit's.
struct Population {
  std::vector<Trips> with, without;
};

Population draw(std::mt19937_64& random, const std::vector<std::uint32_t>& trips_of_unit) {
  Population population;
  for (std::size_t part = 0; part < trips_of_unit.size(); ++part) {
    Trips trips{std::vector<std::uint64_t>(2 * (part + 1), 5), {}};
    const auto add = [&] {
      auto& cell = trips.cells.emplace_back();
      for (std::size_t a = 0; a < trips.shape.size(); ++a) cell.push_back(static_cast<std::uint32_t>(random() % 5));
    };
    for (std::uint64_t n = random() % 30; n > 0; --n) add();
    population.without.push_back(trips);
    for (std::uint32_t n = trips_of_unit[part]; n > 0; --n) add();
    population.with.push_back(trips);
  }
  return population;
}

// The sum of what all parts tell about the unit.
Bounds loss(const Mechanism& mechanism, const Population& population, std::uint32_t k, int run, bool& same) {
  const Params params = *read_params(mechanism, {});
  Bounds sum = 0;
  for (std::size_t part = 0; part < population.with.size(); ++part) {
    const auto plan = [&](Kernel& kernel) { return run_mechanism(mechanism, params, kernel, Unit::user); };
    const Proof proof = prove(plan, population.with[part].matrix(), population.without[part].matrix(), kEpsilon, k,
                              test_key("part " + std::to_string(part) + " of run " + std::to_string(run)));
    same = same && proof.faults.empty();
    sum = sum + proof.loss;
  }
  return sum;
}

bool within(const Bounds& loss) {
  const long double limit = static_cast<long double>(kEpsilon) / kTicksPerEpsilon + kResolution;
  return loss.hi <= limit && loss.lo >= -limit;
}

TEST(DisjointParts, AUnitOfKTripsInAllPartsTogetherCostsEpsilon) {
  std::mt19937_64 random(3);
  for (const char* name : {"identity", "uniform", "daf-entropy", "daf-homogeneity"}) {
    const Mechanism& mechanism = *find_mechanism(name);
    long double most = 0;
    for (int run = 0; run < 40; ++run) {
      const std::uint32_t k = 1 + static_cast<std::uint32_t>(random() % 6);
      std::vector<std::uint32_t> share(3);
      for (std::uint32_t trip = 0; trip < k; ++trip) ++share[random() % 3];
      bool same = true;
      const Bounds told = loss(mechanism, draw(random, share), k, run, same);
      EXPECT_TRUE(same) << name;
      EXPECT_TRUE(within(told)) << name << " run " << run << ": " << static_cast<double>(told.hi);
      most = std::max({most, told.hi, -told.lo});
    }
    EXPECT_GT(most, 0.4L) << name << ": the bound is nearly reached, so nothing is given away";
  }
}

// Why the bound must be over all parts: k trips in every part are too many.
TEST(DisjointParts, ABoundInEveryPartWouldNotDo) {
  std::mt19937_64 random(4);
  int refuted = 0;
  for (int run = 0; run < 20; ++run) {
    bool same = true;
    refuted += !within(loss(*find_mechanism("uniform"), draw(random, {2, 2, 2}), 2, run, same));
  }
  EXPECT_GT(refuted, 3);
}

}  // namespace
}  // namespace stopover
