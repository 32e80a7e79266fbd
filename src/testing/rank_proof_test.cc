// The replay of rank histograms (proof.h): a plan counts first, makes a rule of what was released, then counts ranks by
// it. Outputs drawn and chosen by an adversary, units of 1 and more trips, one view and two, parts of a view and points
// of pooled stops.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "testing/proof.h"
#include "testing/table_rule.h"
#include "testing/test_key.h"
#include "testing/trips.h"

namespace stopover {
namespace {

constexpr std::uint64_t kAllRanks = ~std::uint64_t{0};

// A grid of up to `most` cuts per axis, drawn from public numbers.
Cuts lattice_of(const Box& box, std::mt19937_64& random, std::size_t most) {
  Cuts cuts(box.axes());
  for (std::size_t axis = 0; axis < cuts.size(); ++axis) {
    for (std::size_t n = random() % (most + 1); n > 0 && box[axis].width() > 1; --n) {
      cuts[axis].push_back(box[axis].lo + 1 + static_cast<std::uint32_t>(random() % (box[axis].width() - 1)));
    }
    std::sort(cuts[axis].begin(), cuts[axis].end());
    cuts[axis].erase(std::unique(cuts[axis].begin(), cuts[axis].end()), cuts[axis].end());
  }
  return cuts;
}

// What a plan is made of; public.
struct RankPlan {
  std::uint64_t seed = 0;
  std::size_t lattices = 1;
  std::size_t entries = 3;
  bool leaky = false;    // ranks beyond a limit and boxes outside a sample count nowhere
  bool one_view = true;  // counts and ranks on one path; else kept back for a view of its own
  bool pooled = false;   // both stops' points in one view. REQUIRES: an even number of axes, equal halves
};

// The bands follow the counts that were released, as an estimate's would: most ranks are near them.
TableRule rule_of(const std::vector<std::int64_t>& counts, const RankPlan& plan, std::mt19937_64& random) {
  std::vector<std::vector<RankBand>> rows;
  for (const std::int64_t count : counts) {
    std::vector<RankBand> row;
    std::uint64_t last = static_cast<std::uint64_t>(std::clamp<std::int64_t>(count, 0, 1'000'000)) / counts.size();
    for (std::size_t band = 0; band < 4; ++band, last += 1 + random() % 3) {
      row.push_back({last, static_cast<std::uint32_t>(random() % plan.entries)});
    }
    if (!plan.leaky) row.back().last = kAllRanks;
    rows.push_back(row);
  }
  return TableRule(std::move(rows), plan.leaky ? 3 : 0);
}

Plan plan_of(const RankPlan& shape) {
  return [shape](Kernel& kernel) {
    std::mt19937_64 random(shape.seed);
    std::vector<std::size_t> axes(kernel.domain().d());
    for (std::size_t axis = 0; axis < axes.size(); ++axis) axes[axis] = axis;
    const auto half = static_cast<std::ptrdiff_t>(axes.size() / 2);
    const auto open = [&](const char* name, Ticks slice) {
      Family family = shape.pooled
                          ? kernel.pooled_view(
                                name, {{axes.begin(), axes.begin() + half}, {axes.begin() + half, axes.end()}}, slice)
                          : kernel.view(name, axes, slice);
      return std::move(kernel.open(std::move(family))[0]);
    };
    const Ticks first = kernel.epsilon() / 3;
    if (!shape.one_view) kernel.keep_back(kernel.epsilon() - first);
    Region region = open("first", kernel.left());
    std::vector<std::int64_t> counts = kernel.count_parts(region, lattice_of(region.box(), random, 1),
                                                          shape.one_view ? region.left() / 3 : region.left());
    const TableRule rule = rule_of(counts, shape, random);
    if (!shape.one_view) {
      kernel.take_back();
      region = open("second", kernel.left());
    }
    // Every part of the region has its own histogram: one trip is in one of them. Where the ranks are asked for depends
    // on the counts, too.
    std::vector<Region> parts =
        kernel.open(kernel.split(std::move(region), lattice_of(region.box(), random, counts[0] % 2 == 0 ? 0 : 1)));
    Release release;
    Table table;
    table.name = "ranks";
    for (Region& part : parts) {
      std::vector<Cuts> lattices;
      for (std::size_t l = 0; l < shape.lattices; ++l) lattices.push_back(lattice_of(part.box(), random, 2));
      const std::vector<std::int64_t> ranks = kernel.count_ranks(part, lattices, rule, shape.entries, part.left());
      table.count.insert(table.count.end(), ranks.begin(), ranks.end());
    }
    release.tables.push_back(table);
    kernel.close();
    return LabResult(release);
  };
}

// A plan and a pair of data sets, drawn by a number.
struct RankCase {
  NeighbourPair pair;
  RankPlan plan;
  Ticks ticks = 0;
  std::size_t moved = 0;  // trips of the unit

  RankCase(std::uint64_t number, std::uint64_t seed) {
    std::mt19937_64 random(seed + number);
    const std::uint32_t k = std::array{1u, 3u, 5u}[number / 7 % 3];
    plan = {random(),          std::array<std::size_t, 4>{1, 2, 5, 36}[random() % 4],
            1 + random() % 6,  number / 21 % 3 == 2,
            random() % 2 == 0, number / 2 % 2 == 0};
    pair = plan.pooled ? shared_pair(random, 2, k, 25) : random_pair(random, 1 + number % 4, k, 400);
    if (plan.pooled && pair.first.shape.size() % 2 != 0) plan.pooled = false;
    ticks = static_cast<Ticks>(1e7 * std::exp(std::uniform_real_distribution<double>(0, std::log(500))(random)));
    const auto a = pair.first.cells.size(), b = pair.second.cells.size();
    moved = std::max(a, b) - std::min(a, b);
  }
  std::string text(const Proof& proof) const {
    return "k = " + std::to_string(pair.k) + ", " + std::to_string(plan.lattices) + " lattices\n" + pair.first.text() +
           "\n" + pair.second.text() + "\n" + proof.text();
  }
};

TEST(RankProof, DrawnOutputs) {
  long double most = 0;
  for (std::uint64_t number = 0; number < 1'500; ++number) {
    const RankCase tried(number, 1'000'000);
    const Proof proof = prove(plan_of(tried.plan), tried.pair.first.matrix(), tried.pair.second.matrix(), tried.ticks,
                              tried.pair.k, test_key("ranks " + std::to_string(number)));
    ASSERT_TRUE(proof.holds()) << "case " << number << ", " << tried.text(proof);
    most = std::max(most, proof.share());
  }
  EXPECT_GT(most, 0.9L);
}

// Where every rank has an entry, outputs on one side of both truths tell all of epsilon of a unit of k trips, whatever
// the counts, lattices and bands: noise that were the least bit too small would show in every such case.
TEST(RankProof, ChosenOutputsTellAllOfEpsilonAndNoMore) {
  long double most = 0, most_leaky = 0;
  std::array<std::size_t, 6> sure{};  // by k, and by one view or two
  for (std::uint64_t number = 0; number < 1'500; ++number) {
    const RankCase tried(number, 2'000'000);
    const auto tactic = static_cast<Tactic>(number % kTactics);
    const Proof proof = prove(plan_of(tried.plan), tried.pair.first.matrix(), tried.pair.second.matrix(), tried.ticks,
                              tried.pair.k, Adversary(tactic, number));
    ASSERT_TRUE(proof.holds()) << "case " << number << ", " << tried.text(proof);
    auto& reached = tried.plan.leaky ? most_leaky : most;
    reached = std::max(reached, proof.share());
    const bool one_sided = tactic != Tactic::mixed && tactic != Tactic::gain && tactic != Tactic::lose;
    if (!one_sided || tried.plan.leaky || tried.moved != tried.pair.k) continue;
    // A pooled view's points have half of epsilon each; rounding to ticks leaves a few.
    EXPECT_GT(proof.share(), 0.999L) << "case " << number << ", " << tried.text(proof);
    ++sure[(tried.pair.k - 1) / 2 * 2 + tried.plan.one_view];
  }
  EXPECT_GT(most, 0.999999L);
  EXPECT_GT(most_leaky, 0.9L);
  for (const std::size_t times : sure) EXPECT_GE(times, 20u);
}

// All data sets of at most 3 trips on 4 cells, one trip added anywhere, in both directions; every tactic.
TEST(RankProof, EverythingSmall) {
  std::size_t number = 0;
  for (const std::vector<std::uint64_t>& shape : std::vector<std::vector<std::uint64_t>>{{4}, {2, 2}}) {
    const std::vector<Trips> places = all_trips(shape, 1);
    for (const Trips& trips : all_trips(shape, 3)) {
      for (std::size_t place = 1; place < places.size(); ++place, ++number) {
        Trips more = trips;
        more.cells.push_back(places[place].cells[0]);
        const RankPlan plan{number, 1 + number % 4, 2, number % 5 == 0, number % 2 == 0, false};
        const bool forward = number / 4 % 2 == 0;
        const Proof proof = prove(plan_of(plan), (forward ? trips : more).matrix(), (forward ? more : trips).matrix(),
                                  700'000'001, 1, Adversary(static_cast<Tactic>(number % kTactics), number));
        ASSERT_TRUE(proof.holds()) << trips.text() << "\n" << more.text() << "\n" << proof.text();
      }
    }
  }
  EXPECT_EQ(number, 2u * 35 * 4);
}

// A rule that looks at which boxes it is asked for together is what the kernel cannot stop: the replay shows it.
TEST(RankProof, ARuleThatLooksAroundIsRefuted) {
  class Crowd final : public RankRule {
   public:
    BoxSample sample(std::size_t) const override { return {}; }
    std::size_t bands() const override { return 1; }
    void bands_of(std::size_t, std::span<const std::uint64_t> boxes, std::span<RankBand> out) const override {
      for (RankBand& band : out) band = {kAllRanks, static_cast<std::uint32_t>(boxes.size() % 2)};
    }
  };
  const Plan plan = [](Kernel& kernel) {
    Region region = std::move(kernel.open(kernel.view("joint", {0}, kernel.left()))[0]);
    kernel.count_ranks(region, std::vector<Cuts>{{{1, 2, 3}}}, Crowd(), 2, region.left());
    kernel.close();
    return LabResult();
  };
  const Trips trips = filled({4}, {0, 5, 7, 3}), more = filled({4}, {1, 5, 7, 3});
  EXPECT_FALSE(prove(plan, trips.matrix(), more.matrix(), kTicksPerEpsilon, 1, Adversary(Tactic::gain, 1)).within());
}

}  // namespace
}  // namespace stopover
