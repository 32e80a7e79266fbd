#include "calibrate/probe_certificate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "synthetic/number_sequence.h"

namespace stopover {
namespace {

TEST(LaplaceSumMargin, HoldsAndIsNotMuchMoreThanItMustBe) {
  for (const double rate : {0.05, 0.4}) {
    const double p = std::exp(-rate);
    const auto half = static_cast<std::ptrdiff_t>(60 / rate);
    std::vector<double> one, sum = {1};
    for (std::ptrdiff_t x = -half; x <= half; ++x) {
      one.push_back((1 - p) / (1 + p) * std::pow(p, std::abs(static_cast<double>(x))));
    }
    for (std::size_t n = 1; n <= 3; ++n) {
      // The law of a sum of n.
      std::vector<double> next(sum.size() + one.size() - 1, 0);
      for (std::size_t i = 0; i < sum.size(); ++i) {
        for (std::size_t j = 0; j < one.size(); ++j) next[i + j] += sum[i] * one[j];
      }
      sum = next;
      const double chance = 3e-6;
      double above = 0;
      std::ptrdiff_t exact = static_cast<std::ptrdiff_t>(sum.size());
      while (exact > 0 && above + sum[static_cast<std::size_t>(exact - 1)] <= chance) {
        above += sum[static_cast<std::size_t>(--exact)];
      }
      // Of values above m there are at most `chance`: the least such m.
      const double least = static_cast<double>(exact - 1 - static_cast<std::ptrdiff_t>(n) * half);
      const double margin = laplace_sum_margin(rate, n, chance);
      EXPECT_GE(margin, least) << rate << " " << n;
      EXPECT_LE(margin, n == 1 ? least + 1 : 1.35 * least) << rate << " " << n;
    }
  }
}

TEST(MostWeight, IsNeverLessThanAnyChoiceOfBoxes) {
  NumberSequence numbers(4);
  for (int i = 0; i < 200; ++i) {
    std::vector<Burden> boxes;
    for (std::size_t b = 0; b < 8; ++b) {
      boxes.push_back({1 + static_cast<double>(numbers.below(5)), static_cast<double>(numbers.below(6))});
    }
    const double budget = static_cast<double>(numbers.below(20));
    double best = 0;
    for (unsigned some = 0; some < 256; ++some) {
      Burden all{0, 0};
      for (std::size_t b = 0; b < 8; ++b) {
        if ((some >> b & 1) != 0) all = {all.weight + boxes[b].weight, all.cost + boxes[b].cost};
      }
      if (all.cost <= budget) best = std::max(best, all.weight);
    }
    const double most = most_weight(boxes, budget);
    EXPECT_GE(most, best);
    EXPECT_LE(most, best + 5) << "the last one in part, and no more";
  }
}

// Boxes whose truth is known, and their histogram by its definition: rank by rank.
struct Known {
  std::vector<CertifiedBox> boxes;
  std::vector<double> truths;
  Probes probes;

  explicit Known(std::uint64_t seed, bool at_edges) {
    NumberSequence numbers(seed);
    constexpr std::size_t kCells = Probes::kGroups * Probes::kClasses;
    probes.counts.assign(Probes::kEntries, 0);
    probes.whole.assign(kCells * Probes::kBelow.size(), 0);
    for (int i = 0; i < 3000; ++i) {
      const std::size_t group = numbers.below(2), c = numbers.below(Probes::kClasses);
      const double scale = 1 + 10 * numbers.uniform(), signal = Probes::kReadAt[c];
      const double centre = scale * signal * numbers.uniform(0.7, 1.3) - numbers.uniform();
      // Far out with a chance; or where it costs the fewest ranks to be missed: right behind an edge.
      double truth = centre + scale * numbers.normal() * (numbers.uniform() < 0.1 ? 6 : 0.7);
      if (at_edges && numbers.uniform() < 0.2) {
        const double z =
            numbers.uniform() < 0.5 ? Probes::kAbove[1 + numbers.below(5)] : -Probes::kBelow[1 + numbers.below(4)];
        truth = ranks_up_to(centre, scale, z) + (z > 0 ? 1 : 0);
      }
      boxes.push_back({Probes::cell(group, c), centre, scale, 1 + static_cast<double>(numbers.below(9))});
      truths.push_back(std::floor(std::max(0.0, truth)));
      const std::size_t cell = boxes.back().cell;
      const bool lower = c >= Probes::kFirstLowerClass;
      const double most = std::max(truths.back(), ranks_up_to(centre, scale, 0));
      for (double rank = 1; rank <= most; ++rank) {
        std::size_t band = Probes::kRest;
        if (rank > ranks_up_to(centre, scale, 0)) {
          for (std::size_t b = 0; b < Probes::kAbove.size(); ++b) {
            if (rank > ranks_up_to(centre, scale, Probes::kAbove[b])) band = b;
          }
        } else if (lower) {
          for (std::size_t b = 0; b < Probes::kBelow.size(); ++b) {
            if (rank <= ranks_up_to(centre, scale, -Probes::kBelow[b])) band = Probes::kFirstBelow + b;
          }
          probes.whole[cell * Probes::kBelow.size() + band - Probes::kFirstBelow] += 1;
        }
        if (rank <= truths.back()) probes.counts[cell * Probes::kBands + band] += 1;
      }
    }
  }

  // By how much the worst entry of the certificate is exceeded by what is so, and how much it gives away in the mean.
  struct Verdict {
    double worst = -1, slack = 0;
  };
  Verdict check() const {
    Verdict verdict;
    double entries = 0;
    const auto look = [&](std::size_t cell, double z, double certified) {
      double all = 0, missed = 0;
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (boxes[i].cell != cell) continue;
        const double end = boxes[i].centre + z * boxes[i].scale;
        all += boxes[i].weight;
        if (z > 0 ? truths[i] > end : truths[i] < end) missed += boxes[i].weight;
      }
      verdict.worst = std::max(verdict.worst, missed / all - certified);
      verdict.slack += certified - missed / all;
      entries += 1;
    };
    for (std::size_t cell = 0; cell < Probes::kGroups * Probes::kClasses; ++cell) {
      for (std::size_t b = 1; b < Probes::kAbove.size(); ++b) {
        look(cell, Probes::kAbove[b], probes.missed_above[cell * Probes::kAbove.size() + b]);
      }
      for (std::size_t b = 1; b < Probes::kBelow.size(); ++b) {
        look(cell, -Probes::kBelow[b], probes.missed_below[cell * Probes::kBelow.size() + b]);
      }
    }
    verdict.slack /= entries;
    return verdict;
  }
};

std::int64_t laplace(NumberSequence& numbers, double rate) {
  const auto half = [&] { return std::floor(-std::log(1 - numbers.uniform()) / rate); };
  const double first = half();
  return static_cast<std::int64_t>(first - half());
}

TEST(ProbeCertificate, NeverSaysLessThanIsMissed) {
  constexpr double kRate = 0.1;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Known known(seed, seed % 2 == 1);
    NumberSequence numbers(seed, 1);
    for (std::int64_t& count : known.probes.counts) count += laplace(numbers, kRate);
    certify_probes(known.probes, known.boxes, kRate);
    EXPECT_LE(known.check().worst, 1e-12) << seed;
  }
}

// Without noise it is near to what is so, and no factor can be left out: half of the ranks would prove too much.
TEST(ProbeCertificate, IsTight) {
  Known known(1, true);
  certify_probes(known.probes, known.boxes, 50);
  EXPECT_LE(known.check().worst, 1e-12);
  EXPECT_LT(known.check().slack, 0.35);
  const Probes right = known.probes;
  for (std::int64_t& count : known.probes.counts) count /= 2;
  for (double& whole : known.probes.whole) whole /= 2;
  certify_probes(known.probes, known.boxes, 50);
  EXPECT_GT(known.check().worst, 0.01) << "half of what was counted";
  known.probes = right;
  // The noise must be reckoned with: without its margin some count comes out too low.
  NumberSequence numbers(9);
  std::size_t wrong = 0;
  for (int i = 0; i < 5; ++i) {
    known.probes = right;
    for (std::int64_t& count : known.probes.counts) count += laplace(numbers, 0.02);
    certify_probes(known.probes, known.boxes, 50);
    wrong += known.check().worst > 0;
  }
  EXPECT_GT(wrong, 0u);
}

}  // namespace
}  // namespace stopover
