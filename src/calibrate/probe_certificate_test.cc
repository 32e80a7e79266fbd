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

  Known() {
    probes.counts.assign(Probes::kEntries, 0);
    probes.whole.assign(Probes::kGroups * Probes::kClasses * Probes::kBelow.size(), 0);
  }

  void add(const CertifiedBox& box, double truth) {
    boxes.push_back(box);
    truths.push_back(std::floor(std::max(0.0, truth)));
    const double centre = box.centre, scale = box.scale;
    const std::size_t cell = box.cell;
    const bool lower = cell % Probes::kClasses >= Probes::kFirstLowerClass;
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

  // By how much the worst entry of the certificate is exceeded by what is so.
  struct Verdict {
    double worst = -1;
  };
  Verdict check() const {
    Verdict verdict;
    const auto look = [&](std::size_t cell, double z, double certified) {
      double all = 0, missed = 0;
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (boxes[i].cell != cell) continue;
        const double end = boxes[i].centre + z * boxes[i].scale;
        all += boxes[i].weight;
        if (z > 0 ? truths[i] > end : truths[i] < end) missed += boxes[i].weight;
      }
      verdict.worst = std::max(verdict.worst, missed / all - certified);
    };
    for (std::size_t cell = 0; cell < Probes::kGroups * Probes::kClasses; ++cell) {
      for (std::size_t b = 1; b < Probes::kAbove.size(); ++b) {
        look(cell, Probes::kAbove[b], probes.missed_above[cell * Probes::kAbove.size() + b]);
      }
      for (std::size_t b = 1; b < Probes::kBelow.size(); ++b) {
        look(cell, -Probes::kBelow[b], probes.missed_below[cell * Probes::kBelow.size() + b]);
      }
    }
    return verdict;
  }
};

// Truths about the centre, some far out; or, of some, right behind an edge, where it costs the fewest ranks to be
// missed.
Known many(std::uint64_t seed, bool at_edges) {
  NumberSequence numbers(seed);
  Known known;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t group = numbers.below(2), c = numbers.below(Probes::kClasses);
    const double scale = 1 + 10 * numbers.uniform(), signal = Probes::kReadAt[c];
    const double centre = scale * signal * numbers.uniform(0.7, 1.3) - numbers.uniform();
    double truth = centre + scale * numbers.normal() * (numbers.uniform() < 0.1 ? 6 : 0.7);
    if (at_edges && numbers.uniform() < 0.2) {
      const double z =
          numbers.uniform() < 0.5 ? Probes::kAbove[1 + numbers.below(5)] : -Probes::kBelow[1 + numbers.below(4)];
      truth = ranks_up_to(centre, scale, z) + (z > 0 ? 1 : 0);
    }
    known.add({Probes::cell(group, c), centre, scale, 1 + static_cast<double>(numbers.below(9))}, truth);
  }
  return known;
}

// The worst there is: all boxes are right but three of ten, which lie right behind the last edge above, and two, which
// lie right behind the first one below.
Known worst() {
  Known known;
  for (std::size_t cell = 0; cell < Probes::kGroups * Probes::kClasses; ++cell) {
    const double centre = 4 * std::floor(Probes::kReadAt[cell % Probes::kClasses]) + 0.3;
    for (int i = 0; i < 100; ++i) {
      known.add({cell, centre, 4, 1}, i % 10 < 3 ? centre + 8 * 4 + 1 : i % 10 < 5 ? centre - 0.5 * 4 : centre);
    }
  }
  return known;
}

std::int64_t laplace(NumberSequence& numbers, double rate) {
  const auto half = [&] { return std::floor(-std::log(1 - numbers.uniform()) / rate); };
  const double first = half();
  return static_cast<std::int64_t>(first - half());
}

TEST(ProbeCertificate, NeverSaysLessThanIsMissed) {
  constexpr double kRate = 0.1;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Known known = many(seed, seed % 2 == 1);
    NumberSequence numbers(seed, 1);
    for (std::int64_t& count : known.probes.counts) count += laplace(numbers, kRate);
    certify_probes(known.probes, known.boxes, kRate);
    EXPECT_LE(known.check().worst, 1e-12) << seed;
  }
}

// Without noise it can be what is so, and no factor can be left out: less than all ranks would prove too much.
TEST(ProbeCertificate, IsTight) {
  Known known = worst();
  const Probes counted = known.probes;
  certify_probes(known.probes, known.boxes, 50);
  EXPECT_LE(known.check().worst, 1e-12);
  EXPECT_NEAR(known.probes.missed_above[Probes::cell(0, 5) * Probes::kAbove.size() + 5], 0.3, 1e-12);
  EXPECT_NEAR(known.probes.missed_below[Probes::cell(0, 5) * Probes::kBelow.size() + 1], 0.2, 1e-12);
  for (const double factor : {0.5, 0.9}) {
    known.probes = counted;
    for (std::int64_t& count : known.probes.counts) count = std::llround(factor * static_cast<double>(count));
    for (double& whole : known.probes.whole) whole *= factor;
    certify_probes(known.probes, known.boxes, 50);
    EXPECT_GT(known.check().worst, 0.02) << factor;
  }
  // The noise must be reckoned with: without its margin some count comes out too low.
  NumberSequence numbers(9);
  known.probes = counted;
  for (std::int64_t& count : known.probes.counts) count += laplace(numbers, 0.01);
  const Probes noisy = known.probes;
  certify_probes(known.probes, known.boxes, 50);
  EXPECT_GT(known.check().worst, 0.02);
  known.probes = noisy;
  certify_probes(known.probes, known.boxes, 0.01);
  EXPECT_LE(known.check().worst, 1e-12);
}

}  // namespace
}  // namespace stopover
