#include "calibrate/probe_certificate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/portable_math.h"

namespace stopover {
namespace {

// Pairs of edges z1 < z2.
constexpr std::size_t pairs_of(std::size_t edges) { return edges * (edges - 1) / 2; }

constexpr std::size_t kLowerClasses = Probes::kClasses - Probes::kFirstLowerClass;
constexpr std::size_t kStatements = Probes::kGroups * (Probes::kClasses * pairs_of(Probes::kAbove.size()) +
                                                       kLowerClasses * pairs_of(Probes::kBelow.size()));

}  // namespace

double ranks_up_to(double centre, double scale, double z) { return std::floor(std::max(0.0, centre + z * scale)); }

double laplace_sum_margin(double rate, std::size_t n, double chance) {
  // One variable is m or more with probability p^m/(1 + p), p = e^-rate: above m, p^(m + 1)/(1 + p).
  const double p = portable_exp(-rate);
  if (n == 1) return std::max(0.0, std::ceil(-portable_log(chance * (1 + p)) / rate - 1));
  // E e^(tX) = (1 - p)^2/((1 - p e^t)(1 - p e^-t)), and P(sum >= m) <= e^(-t m) (E e^(tX))^n for every t.
  double least = std::numeric_limits<double>::infinity();
  constexpr int kSteps = 400;
  for (int i = 1; i < kSteps; ++i) {
    const double t = rate * i / kSteps;
    const double moment =
        2 * portable_log(1 - p) - portable_log(1 - portable_exp(t - rate)) - portable_log(1 - portable_exp(-t - rate));
    least = std::min(least, (static_cast<double>(n) * moment - portable_log(chance)) / t);
  }
  return std::ceil(least);
}

double most_weight(std::span<Burden> boxes, double budget) {
  std::sort(boxes.begin(), boxes.end(), [](const Burden& a, const Burden& b) {
    return a.cost * b.weight != b.cost * a.weight ? a.cost * b.weight < b.cost * a.weight : a.weight < b.weight;
  });
  double weight = 0;
  for (const Burden& box : boxes) {
    if (box.cost > budget) return weight + box.weight * budget / box.cost;
    budget -= box.cost;
    weight += box.weight;
  }
  return weight;
}

void certify_probes(Probes& probes, std::span<const CertifiedBox> boxes, double rate) {
  constexpr std::size_t kCells = Probes::kGroups * Probes::kClasses;
  std::vector<std::vector<const CertifiedBox*>> of_cell(kCells);
  for (const CertifiedBox& box : boxes) of_cell[box.cell].push_back(&box);
  std::vector<double> margins = {0};
  for (std::size_t n = 1; n < Probes::kAbove.size(); ++n) {
    margins.push_back(laplace_sum_margin(rate, n, Probes::kDoubt / kStatements));
  }
  std::vector<Burden> burdens;
  // The share of a cell's boxes that may lie beyond edge `to`, by what was counted from edge `from` on.
  const auto share = [&](std::size_t cell, double budget, double from, double to) {
    burdens.clear();
    double all = 0;
    for (const CertifiedBox* box : of_cell[cell]) {
      const double cost =
          std::abs(ranks_up_to(box->centre, box->scale, to) - ranks_up_to(box->centre, box->scale, from));
      burdens.push_back({box->weight, cost});
      all += box->weight;
    }
    return all > 0 ? std::min(1.0, most_weight(burdens, std::max(0.0, budget)) / all) : 1;
  };
  probes.missed_above.assign(kCells * Probes::kAbove.size(), 1);
  probes.missed_below.assign(kCells * Probes::kBelow.size(), 1);
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    const auto count = [&](std::size_t band) {
      return static_cast<double>(probes.counts[cell * Probes::kBands + band]);
    };
    double* above = probes.missed_above.data() + cell * Probes::kAbove.size();
    for (std::size_t to = 1; to < Probes::kAbove.size(); ++to) {
      above[to] = above[to - 1];
      double counted = 0;
      for (std::size_t from = to; from-- > 0;) {
        counted += count(from);
        above[to] =
            std::min(above[to], share(cell, counted + margins[to - from], Probes::kAbove[from], Probes::kAbove[to]));
      }
    }
    if (cell % Probes::kClasses < Probes::kFirstLowerClass) continue;
    double* below = probes.missed_below.data() + cell * Probes::kBelow.size();
    for (std::size_t to = 1; to < Probes::kBelow.size(); ++to) {
      below[to] = below[to - 1];
      double missing = 0;
      for (std::size_t from = to; from-- > 0;) {
        missing += probes.whole[cell * Probes::kBelow.size() + from] - count(Probes::kFirstBelow + from);
        below[to] =
            std::min(below[to], share(cell, missing + margins[to - from], -Probes::kBelow[from], -Probes::kBelow[to]));
      }
    }
  }
}

}  // namespace stopover
