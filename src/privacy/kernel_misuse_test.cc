// Everything a plan could do wrong aborts.
#include "privacy/stream_dice.h"
#include "testing/kernel_fixture.h"
#include "testing/replay_dice.h"
#include "testing/table_rule.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

TEST_F(KernelDeathTest, OverspendingByOneTickAborts) {
  EXPECT_DEATH(
      {
        Family f = root(100);
        kernel_.count(f, 101);
      },
      "exceeds what is left on its path");
  EXPECT_DEATH(
      {
        Family f = root(100);
        kernel_.count(f, 60);
        Region r = only(kernel_.open(std::move(f)));
        kernel_.choose(r, 0, Candidates{{1}}, Score::homogeneity, 41);
      },
      "exceeds what is left on its path");
  EXPECT_DEATH(
      {
        Family f = kernel_.split(whole(100), 0, {3});
        kernel_.count(f, 60);
        std::vector<Region> r = kernel_.open(std::move(f));
        kernel_.count(r, 41);
      },
      "exceeds what is left on its path");
  EXPECT_DEATH(
      {
        Family f = root(100);
        kernel_.count_gradually(f, 1, 101);
      },
      "exceeds what is left on its path");
  EXPECT_DEATH(
      {
        Family f = root(100);
        kernel_.count_gradually(f, 40, 100);
        std::vector<Region> r = kernel_.open(std::move(f));
        kernel_.count(r, 1);
        kernel_.reveal(r[0]);
      },
      "exceeds what is left on its path");
  EXPECT_DEATH(kernel_.grow(
                   whole(100), 101, 1, [](const Box&, std::uint32_t) { return Cuts(); }, 10),
               "exceeds what is left on its path");
  Family exact = root(100);
  kernel_.count(exact, 100);
  EXPECT_EQ(exact.left(), 0u);
}

TEST_F(KernelDeathTest, SplitsAndOpeningsPassTheDebtOn) {
  EXPECT_DEATH(
      {
        Family f = root(100);
        kernel_.count(f, 50);
        Family g = kernel_.split(only(kernel_.open(std::move(f))), 0, {5});
        kernel_.count(g, 30);
        Family h = kernel_.again(std::move(kernel_.open(std::move(g))[1]));
        kernel_.count(h, 21);
      },
      "exceeds what is left on its path");
  EXPECT_DEATH(
      {
        Grown grown = kernel_.grow(whole(100), 60, 1, [](const Box&, std::uint32_t) { return Cuts{{5}}; }, 2);
        kernel_.count(grown.leaves, 41);
      },
      "exceeds what is left on its path");
}

TEST_F(KernelDeathTest, FreeMeasurementsAreRefused) {
  EXPECT_DEATH(
      {
        Family f = root();
        kernel_.count(f, 0);
      },
      "above 0");
  EXPECT_DEATH(kernel_.view("v", {0}, 0), "slice");
  EXPECT_DEATH(
      {
        Region r = whole();
        kernel_.choose(r, 0, Candidates{{1}}, Score::homogeneity, 0);
      },
      "above 0");
  EXPECT_DEATH(Kernel(matrix_, dice_, 0, 1), "epsilon");
  EXPECT_DEATH(Kernel(matrix_, dice_, 1, 0), "trips");
}

TEST_F(KernelDeathTest, ViewsBeyondEpsilonAbort) {
  EXPECT_DEATH(kernel_.view("v", {0}, kOne + 1), "exceeds what is left of epsilon");
  EXPECT_DEATH(
      {
        kernel_.view("v", {0}, kOne / 2);
        kernel_.view("w", {0}, kOne / 2 + 1);
      },
      "exceeds what is left of epsilon");
  EXPECT_DEATH(
      {
        kernel_.view("v", {0}, kOne - 5);
        kernel_.pooled_view("w", {{0}, {0}}, 6);
      },
      "exceeds what is left of epsilon");
  EXPECT_DEATH(
      {
        Family f = kernel_.pooled_view("w", {{0}, {0}}, 6);
        kernel_.count(f, 4);
      },
      "left on its path");
  EXPECT_DEATH(
      {
        kernel_.view("v", {0}, 1);
        kernel_.view("v", {1}, 1);
      },
      "one name");
}

TEST_F(KernelDeathTest, BadAxesAbort) {
  EXPECT_DEATH(kernel_.view("v", {}, 1), "axes");
  EXPECT_DEATH(kernel_.view("v", {3}, 1), "axes");
  EXPECT_DEATH(kernel_.view("v", {1, 0}, 1), "axes");
  EXPECT_DEATH(kernel_.view("v", {1, 1}, 1), "axes");
  EXPECT_DEATH(kernel_.pooled_view("v", {}, 1), "stops");
  EXPECT_DEATH(kernel_.pooled_view("v", {{0}, {1}}, 1), "equal widths");
  EXPECT_DEATH(kernel_.pooled_view("v", {{0}}, 1, 0), "at least one cell");
}

TEST_F(KernelDeathTest, HandlesThatWereGivenAwayAbort) {
  EXPECT_DEATH(
      {
        Family f = root();
        kernel_.count(f, 1);
        kernel_.count(f, 1);
      },
      "counted once");
  EXPECT_DEATH(
      {
        Family f = root();
        kernel_.count(f, 1);
        kernel_.count_gradually(f, 1, 1);
      },
      "counted once");
  EXPECT_DEATH(
      {
        Family f = root();
        kernel_.count_gradually(f, 1, 1);
        kernel_.count_by(f, 0, 1);
      },
      "counted once");
  EXPECT_DEATH(
      {
        Family f = root();
        kernel_.open(std::move(f));
        kernel_.open(std::move(f));
      },
      "opened once");
  EXPECT_DEATH(
      {
        Family f = root();
        kernel_.open(std::move(f));
        kernel_.count(f, 1);
      },
      "counted once");
  EXPECT_DEATH(
      {
        Family f = root();
        kernel_.open(std::move(f));
        f.left();
      },
      "given away");
  EXPECT_DEATH(
      {
        Region r = whole();
        kernel_.again(std::move(r));
        kernel_.again(std::move(r));
      },
      "divided once");
  EXPECT_DEATH(
      {
        Region r = whole();
        kernel_.again(std::move(r));
        r.left();
      },
      "given away");
  EXPECT_DEATH(
      {
        Region r = whole();
        kernel_.again(std::move(r));
        kernel_.public_coin(r, 1);
      },
      "given away");
  EXPECT_DEATH(
      {
        Region r = whole();
        kernel_.again(std::move(r));
        kernel_.choose(r, 0, Candidates{{1}}, Score::homogeneity, 1);
      },
      "given away");
  EXPECT_DEATH(
      {
        std::vector<Region> r = kernel_.open(kernel_.split(whole(), 0, {5}));
        kernel_.again(std::move(r[1]));
        kernel_.count(r, 1);
      },
      "of one view");
  EXPECT_DEATH(
      {
        Region r = whole();
        kernel_.reveal(r);
      },
      "nothing is hidden");
  EXPECT_DEATH(
      {
        Family f = root();
        kernel_.count_gradually(f, 1, 2);
        std::vector<Region> r = kernel_.open(std::move(f));
        kernel_.reveal(r[0]);
        kernel_.reveal(r[0]);
      },
      "nothing is hidden");
  EXPECT_DEATH(
      {
        Family f = root();
        kernel_.count_gradually(f, 1, 2);
        std::vector<Region> r = kernel_.open(kernel_.again(only(kernel_.open(std::move(f)))));
        kernel_.reveal(r[0]);
      },
      "nothing is hidden");
  EXPECT_DEATH(
      {
        Family f = root();
        kernel_.count_gradually(f, 2, 1);
      },
      "gradual");
}

TEST_F(KernelDeathTest, CutsMustIncreaseStrictlyInside) {
  for (const std::vector<std::uint32_t>& cuts : Candidates{{0}, {10}, {11}, {4, 4}, {5, 3}, {0, 5}, {5, 10}}) {
    EXPECT_DEATH(kernel_.split(whole(), 0, cuts), "strictly inside");
    EXPECT_DEATH(
        {
          Region r = whole();
          kernel_.choose(r, 0, Candidates{cuts}, Score::homogeneity, 1);
        },
        "strictly inside");
  }
  EXPECT_DEATH(kernel_.split(std::move(kernel_.open(kernel_.split(whole(), 0, {5}))[1]), 0, {5}), "strictly inside");
  EXPECT_DEATH(kernel_.split(whole(), 3, {1}), "more axes");
  EXPECT_DEATH(
      {
        Region r = whole();
        kernel_.choose(r, 0, std::span<const std::vector<std::uint32_t>>(), Score::homogeneity, 1);
      },
      "candidate");
  EXPECT_DEATH(
      {
        Family f = kernel_.split(whole(), 0, {5});
        kernel_.count_by(f, 0, 1);
      },
      "that axis whole");
}

TEST_F(KernelDeathTest, ATreeOfCutsMustBeOne) {
  const auto split = [&](std::vector<CutTree::Node> nodes) { kernel_.split(whole(), CutTree{std::move(nodes)}); };
  EXPECT_DEATH(split({{0, 0, ~0, ~1}}), "strictly inside");
  EXPECT_DEATH(split({{0, 10, ~0, ~1}}), "strictly inside");
  EXPECT_DEATH(split({{3, 1, ~0, ~1}}), "that is none");
  EXPECT_DEATH(split({{0, 5, ~0, ~0}}), "that is none") << "a child twice: overlapping boxes";
  EXPECT_DEATH(split({{0, 5, ~0, ~2}}), "that is none");
  EXPECT_DEATH(split({{0, 5, 0, ~0}}), "that is none") << "a loop";
  EXPECT_DEATH(split({{0, 5, 1, 1}, {0, 3, ~0, ~1}}), "that is none") << "a node twice";
  EXPECT_DEATH(split({{0, 5, ~0, ~1}, {0, 3, ~2, ~2}}), "that is none") << "a node from nowhere";
  EXPECT_DEATH(split({{0, 5, 1, ~0}, {0, 6, ~1, ~2}}), "strictly inside") << "outside its own part";
}

TEST_F(KernelDeathTest, PartsAndListsAreCharged) {
  EXPECT_DEATH(
      {
        Region r = whole(100);
        kernel_.count_parts(r, {{5}}, 60);
        kernel_.count_parts(r, {{5}}, 41);
      },
      "exceeds what is left on its path");
  EXPECT_DEATH(
      {
        Region r = whole(100);
        kernel_.count_sparsely(r, 60, 5);
        kernel_.count_sparsely(r, 41, 5);
      },
      "exceeds what is left on its path");
  EXPECT_DEATH(
      {
        Region r = whole(100);
        Family f = kernel_.again(std::move(r));
        kernel_.count_parts(r, {{5}}, 1);
      },
      "given away");
  EXPECT_DEATH(
      {
        Region r = whole(100);
        Family f = kernel_.again(std::move(r));
        kernel_.count_sparsely(r, 1, 5);
      },
      "given away");
  EXPECT_DEATH(
      {
        Region r = whole(100);
        kernel_.count_sparsely(r, 1, 0);
      },
      "threshold");
  EXPECT_DEATH(
      {
        Region r = whole(100);
        kernel_.count_parts(r, {{5, 5}}, 1);
      },
      "strictly inside");
}

TEST_F(KernelDeathTest, AClosedKernelAnswersNothing) {
  EXPECT_DEATH(
      {
        Family f = root(10);
        kernel_.count_gradually(f, 5, 5);
        Region r = only(kernel_.open(std::move(f)));
        kernel_.close();
        kernel_.reveal(r);
      },
      "closed");
  EXPECT_DEATH(
      {
        Family f = root(10);
        kernel_.close();
        kernel_.count(f, 1);
      },
      "closed");
  EXPECT_DEATH(
      {
        kernel_.close();
        root(10);
      },
      "closed");
  EXPECT_DEATH(
      {
        kernel_.close();
        kernel_.close();
      },
      "closed");
  EXPECT_DEATH(
      {
        Region r = whole(10);
        kernel_.close();
        kernel_.public_coin(r, 1);
      },
      "given away");
  EXPECT_DEATH(
      {
        Region r = whole(10);
        kernel_.close();
        kernel_.choose(r, 0, Candidates{{1}}, Score::homogeneity, 1);
      },
      "closed");
}

TEST_F(KernelDeathTest, RanksAreChargedAndBounded) {
  const TableRule rule({{{3, 0}}}), wide({std::vector<RankBand>(1001)});
  const auto ranks = [&](Region& region, const std::vector<Cuts>& lattices, std::size_t entries, Ticks ticks) {
    kernel_.count_ranks(region, lattices, rule, entries, ticks);
  };
  const auto dies = [&](const std::vector<Cuts>& lattices, std::size_t entries, Ticks ticks, const char* why) {
    EXPECT_DEATH(
        {
          Region r = whole(100);
          ranks(r, lattices, entries, 60);
          ranks(r, lattices, entries, ticks);
        },
        why);
  };
  dies({{{5}}}, 1, 41, "exceeds what is left on its path");
  dies({{{5}}}, 1, 0, "above 0");
  dies({}, 1, 1, "1 to 1000 lattices");
  dies(std::vector<Cuts>(1001), 1, 1, "1 to 1000 lattices");
  dies({{{5}}}, 0, 1, "entries");
  dies({{{5}}}, (std::size_t{1} << 27) + 1, 1, "entries");
  for (const std::vector<std::uint32_t>& cuts : Candidates{{0}, {10}, {4, 4}, {5, 3}}) {
    dies({{}, {cuts}}, 1, 1, "strictly inside");
  }
  dies({{{}, {}, {}, {1}}}, 1, 1, "more axes");
  EXPECT_DEATH(
      {
        Region r = whole(100);
        kernel_.count_ranks(r, std::vector<Cuts>{{}}, wide, 1, 1);
      },
      "1000 bands");
  EXPECT_DEATH(
      {
        Region r = whole(100);
        Family f = kernel_.again(std::move(r));
        ranks(r, {{}}, 1, 1);
      },
      "given away");
  EXPECT_DEATH(
      {
        Region r = whole(100);
        kernel_.close();
        ranks(r, {{}}, 1, 1);
      },
      "closed");
  // A point of two pays half: what the path of a pooled view has, not the slice.
  EXPECT_DEATH(
      {
        Region r = only(kernel_.open(kernel_.pooled_view("w", {{0}, {0}}, 100)));
        ranks(r, {{}}, 1, 51);
      },
      "exceeds what is left on its path");
  // A rate that the samplers do not take is refused, as for counts; it depends on public numbers alone.
  EXPECT_DEATH(
      {
        StreamDice stream(test_key("thin"));
        Kernel kernel(matrix_, stream, kOne, 1'000'000);
        Region r = only(kernel.open(kernel.view("v", {0}, 1)));
        kernel.count_ranks(r, std::vector<Cuts>(1000), rule, 1, 1);
      },
      "noise rate out of range");
}

// A rule's mistakes must not end the process: only boxes that hold trips are asked for, so an end would tell of them.
TEST_F(KernelDeathTest, AWrongRuleCountsNowhereAndTellsNothing) {
  Region region = whole(100);
  const TableRule wrong({{{2, 7}, {1, 0}, {4, 1}, {3, 0}}});
  const auto counted = kernel_.count_ranks(region, std::vector<Cuts>{{}}, wrong, 2, 1);
  EXPECT_EQ(counted, (std::vector<std::int64_t>{0, 2})) << "ranks 1 and 2 nowhere, 3 and 4 in entry 1, no more";
}

TEST_F(KernelDeathTest, KeepingBackIsForOneThingAtATime) {
  EXPECT_DEATH(kernel_.keep_back(0), "kept back");
  EXPECT_DEATH(kernel_.keep_back(kOne), "kept back");
  EXPECT_DEATH(kernel_.keep_back(~Ticks{0}), "kept back");
  EXPECT_DEATH(
      {
        root(kOne - 10);
        kernel_.keep_back(10);
      },
      "kept back");
  EXPECT_DEATH(
      {
        kernel_.keep_back(1);
        kernel_.keep_back(1);
      },
      "kept back");
  EXPECT_DEATH(kernel_.take_back(), "nothing is kept back");
  EXPECT_DEATH(
      {
        kernel_.keep_back(1);
        kernel_.take_back();
        kernel_.take_back();
      },
      "nothing is kept back");
  EXPECT_DEATH(
      {
        kernel_.keep_back(10);
        root(kOne - 9);
      },
      "exceeds what is left of epsilon");
  EXPECT_DEATH(
      {
        kernel_.keep_back(10);
        root(kOne - 10);
        kernel_.take_back();
        kernel_.view("after", {0}, 11);
      },
      "exceeds what is left of epsilon");
  EXPECT_DEATH(
      {
        kernel_.keep_back(1);
        kernel_.close();
      },
      "still kept back");
  EXPECT_DEATH(
      {
        kernel_.close();
        kernel_.keep_back(1);
      },
      "kept back");
  EXPECT_DEATH(
      {
        kernel_.close();
        kernel_.take_back();
      },
      "nothing is kept back");
}

}  // namespace
}  // namespace stopover
