#include "calibrate/probe_fit.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stopover {
namespace {

// Histograms of boxes of scale 10 whose distances above the centre are exponential of mean tau, half of all boxes, and
// below it likewise; every class with as much.
Probes made(double tau, double boxes) {
  constexpr std::size_t kCells = Probes::kGroups * Probes::kClasses;
  Probes probes;
  probes.ticks = 25'000'000;
  probes.lattices = 36;
  probes.counts.assign(Probes::kEntries, 0);
  probes.scales.assign(kCells, boxes * 10);
  probes.squares.assign(kCells, 10);
  probes.whole.assign(kCells * Probes::kBelow.size(), 0);
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    const double signal = Probes::kReadAt[cell % Probes::kClasses];
    probes.signals.push_back(signal);
    const auto tail = [&](double z) { return tau * std::exp(-z / tau); };
    const auto entry = [&](std::size_t band) -> std::int64_t& { return probes.counts[cell * Probes::kBands + band]; };
    double mass = 0;
    for (std::size_t b = 0; b < Probes::kAbove.size(); ++b) {
      const double to = b + 1 < Probes::kAbove.size() ? tail(Probes::kAbove[b + 1]) : 0;
      entry(b) = std::llround(boxes * 10 * 0.5 * (tail(Probes::kAbove[b]) - to));
      mass += static_cast<double>(entry(b));
    }
    for (std::size_t b = 0; b + 1 < Probes::kBelow.size(); ++b) {
      const double width = boxes * 10 * (Probes::kBelow[b + 1] - Probes::kBelow[b]);
      const double missing = boxes * 10 * 0.5 * (tail(Probes::kBelow[b]) - tail(Probes::kBelow[b + 1]));
      probes.whole[cell * Probes::kBelow.size() + b] = width;
      entry(Probes::kFirstBelow + b) = std::llround(width - missing);
      mass += width - missing;
    }
    // The rest, so that all of it is what boxes of this signal hold.
    entry(Probes::kRest) = std::max<std::int64_t>(0, std::llround(boxes * 10 * (tau + signal) - mass));
  }
  return probes;
}

double at(const std::vector<double>& table, const Probes& probes, std::size_t group, std::size_t c, std::size_t tail) {
  return table[Probes::cell(group, c) * probes.tails.size() + tail];
}

TEST(ProbeFit, FindsTheTailsThatTheHistogramsHave) {
  for (const double tau : {0.4, 0.8, 1.6}) {
    Probes probes = made(tau, 1e6);
    fit_probes(probes, 100);
    ASSERT_TRUE(check_probes(probes)) << check_probes(probes).error().message;
    ASSERT_EQ(probes.tails[3], 0.025);
    // In the highest class trips weigh as boxes do: half of exp(-z/tau) is 2.5 %.
    const double expected = tau * std::log(0.5 / 0.025);
    EXPECT_NEAR(at(probes.above, probes, 0, 6, 3), expected, 0.2 * expected) << tau;
    EXPECT_NEAR(at(probes.below, probes, 0, 6, 3), expected, 0.3 * expected) << tau;
    for (std::size_t tail = 1; tail < probes.tails.size(); ++tail) {
      EXPECT_GE(at(probes.above, probes, 0, 3, tail), at(probes.above, probes, 0, 3, tail - 1));
    }
  }
}

TEST(ProbeFit, LeansOnThePriorWhereNothingWasSeen) {
  Probes silent = made(1.6, 1), loud = made(1.6, 1e6);
  fit_probes(silent, 1e5);
  fit_probes(loud, 100);
  for (std::size_t c = 3; c < Probes::kClasses; ++c) {
    EXPECT_LT(at(silent.above, silent, 0, c, 3), 0.7 * at(loud.above, loud, 0, c, 3)) << c;
  }
}

// A class with few trips follows its neighbours; a group follows the other.
TEST(ProbeFit, ClassesAndGroupsLeanOnEachOther) {
  Probes probes = made(1.6, 1e5), alone = probes;
  const auto silence = [](Probes& p, std::size_t group, std::size_t c) {
    for (std::size_t band = 0; band < Probes::kBands; ++band) p.counts[Probes::entry(group, c, band)] = 0;
  };
  for (std::size_t c = 0; c < Probes::kClasses; ++c) silence(probes, 1, c);
  silence(probes, 0, 4);
  for (std::size_t c = 0; c < Probes::kClasses; ++c) {
    silence(alone, 0, c);
    silence(alone, 1, c);
  }
  fit_probes(probes, 100);
  fit_probes(alone, 100);
  EXPECT_GT(at(probes.above, probes, 0, 4, 3), 2 * at(alone.above, alone, 0, 4, 3));
  EXPECT_GT(at(probes.above, probes, 1, 5, 3), 2 * at(alone.above, alone, 1, 5, 3));
}

// Of 168 noisy entries some are far off: one must not rule its class.
TEST(ProbeFit, OneEntryThatIsFarOffMovesLittle) {
  Probes probes = made(0.4, 2e4), moved = probes;
  constexpr double kNoise = 700;
  moved.counts[Probes::entry(0, 5, 4)] += static_cast<std::int64_t>(6 * kNoise);
  fit_probes(probes, kNoise);
  fit_probes(moved, kNoise);
  EXPECT_LT(at(moved.above, moved, 0, 5, 3), 1.25 * at(probes.above, probes, 0, 5, 3));
}

}  // namespace
}  // namespace stopover
