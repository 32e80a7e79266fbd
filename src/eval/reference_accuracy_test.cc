// EBP, DAF-Entropy and PrivTree, answered plainly, against the figures of an independent prototype (continuous noise,
// other data of the same law): 300 queries, 2 noise draws, epsilon 0.1, a million trips. The band is a factor of 2;
// keys and seeds are fixed, so nothing here is left to chance.
//
// It holds for this data set, the manual's seed 7, and not for every one: the centre decides much of the mean. Seeds 8
// and 9 have their 4D centres further inside and gave EBP 37 and 28, DAF-Entropy 23 and 20 on random queries (the
// prototype: 215 and 209, its centre not known). So this guards against large mistakes and is no estimate of the
// mechanisms' error.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>

#include "eval/release_meter.h"
#include "eval/workload.h"
#include "mechanism/mechanism.h"
#include "privacy/stream_dice.h"
#include "synthetic/generate.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

constexpr Ticks kEpsilon = kTicksPerEpsilon / 10;
constexpr std::uint64_t kSeed = 7;
constexpr double kBand = 2;

struct Figures {
  double mre = 0, median_re = 0, bounded_re = 0;  // 0: the prototype did not tell
};

class ReferenceAccuracy : public testing::Test {
 protected:
  explicit ReferenceAccuracy(const SyntheticTrips& trips) : matrix_(to_matrix(trips)), truth_(matrix_) {}

  Figures measure(std::string_view name, const std::string& workload_name) {
    const Mechanism* mechanism = find_mechanism(name);
    const Workload workload = draw_workload(*parse_workload(workload_name), matrix_, truth_, 300, 1);
    EXPECT_EQ(workload.boxes.size(), 300u);
    Figures mean;
    for (const char* draw : {"0", "1"}) {
      StreamDice dice(test_key(draw));
      Kernel kernel(matrix_, dice, kEpsilon, 1);
      const Release release = run_mechanism(*mechanism, *read_params(*mechanism, {}), kernel, Unit::trip);
      const ErrorSummary e = ReleaseMeter::make(release, truth_)->measure(workload).plain;
      mean.mre += e.mre / 2;
      mean.median_re += e.median_re / 2;
      mean.bounded_re += e.bounded_re / 2;
    }
    std::printf("%s, %s: %.1f / %.1f / %.1f\n", std::string(name).c_str(), workload_name.c_str(), mean.mre,
                mean.median_re, mean.bounded_re);
    return mean;
  }

  void compare(std::string_view name, const std::string& workload, Figures reference) {
    const Figures ours = measure(name, workload);
    const auto within = [&](double own, double theirs, const char* what) {
      if (theirs == 0) return;
      EXPECT_LT(own, theirs * kBand) << name << ", " << workload << ", " << what;
      EXPECT_GT(own, theirs / kBand) << name << ", " << workload << ", " << what;
    };
    within(ours.mre, reference.mre, "mre");
    within(ours.median_re, reference.median_re, "median");
    within(ours.bounded_re, reference.bounded_re, "bounded");
  }

  Matrix matrix_;
  RangeCounter truth_;
};

class Gaussian4D : public ReferenceAccuracy {
 protected:
  Gaussian4D() : ReferenceAccuracy(*generate_gaussian(4, 1'000'000, 32, 6, kSeed)) {}
};

class Gaussian6D : public ReferenceAccuracy {
 protected:
  Gaussian6D() : ReferenceAccuracy(*generate_gaussian(6, 1'000'000, 10, 2, kSeed)) {}
};

TEST_F(Gaussian4D, EbpIsInRange) {
  compare("ebp", "random", {215, 0, 0});
  compare("ebp", "dcov10", {22, 0, 0});
}

TEST_F(Gaussian4D, DafEntropyIsInRange) {
  compare("daf-entropy", "random", {209, 27, 8.9});
  compare("daf-entropy", "dcov10", {14, 10, 8.8});
}

TEST_F(Gaussian4D, PrivTreeIsInRange) {
  compare("privtree-rr", "random", {173, 33, 9.5});
  compare("privtree-rr", "dcov10", {8.8, 3.9, 3.7});
}

TEST_F(Gaussian6D, PrivTreeIsInRange) { compare("privtree-rr", "random", {309, 72, 19.9}); }

TEST_F(Gaussian6D, EbpIsInRange) { compare("ebp", "random", {279, 0, 0}); }

TEST_F(Gaussian6D, DafEntropyIsInRange) { compare("daf-entropy", "random", {193, 50, 13.6}); }

class SmallGaussian4D : public ReferenceAccuracy {
 protected:
  SmallGaussian4D() : ReferenceAccuracy(*generate_gaussian(4, 1'000'000, 16, 3, kSeed)) {}
};

// The paper: one to four orders of magnitude worse on random queries.
TEST_F(SmallGaussian4D, IdentityAndUniformAreFarWorse) {
  const double daf = measure("daf-entropy", "random").mre;
  EXPECT_GT(measure("identity", "random").mre, 10 * daf);
  EXPECT_GT(measure("uniform", "random").mre, 10 * daf);
}

}  // namespace
}  // namespace stopover
