#include "eval/black_box.h"

#include <tbb/combinable.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "eval/clopper_pearson.h"

namespace stopover {
namespace {

constexpr std::uint64_t kChunk = 64;

using Counts = std::unordered_map<std::uint64_t, std::array<std::uint64_t, 2>>;  // by outcome, by side

std::array<Counts, kGrains> count_outcomes(const BlackBox& box, std::uint64_t first, std::uint64_t runs) {
  tbb::combinable<std::array<Counts, kGrains>> local;
  for (int side : {0, 1}) {
    tbb::parallel_for(std::uint64_t{0}, (runs + kChunk - 1) / kChunk, [&](std::uint64_t chunk) {
      for (std::uint64_t run = chunk * kChunk; run < std::min(runs, (chunk + 1) * kChunk); ++run) {
        const Shown shown = box(side, first + run);
        for (std::size_t grain = 0; grain < kGrains; ++grain) {
          ++local.local()[grain][shown[grain]][static_cast<std::size_t>(side)];
        }
      }
    });
  }
  std::array<Counts, kGrains> all;
  local.combine_each([&](const std::array<Counts, kGrains>& part) {
    for (std::size_t grain = 0; grain < kGrains; ++grain) {
      for (const auto& [outcome, seen] : part[grain]) {
        all[grain][outcome][0] += seen[0];
        all[grain][outcome][1] += seen[1];
      }
    }
  });
  return all;
}

// log(p/q) less five standard deviations: a rough bound, for ranking only. Generous, so that rare events that happened
// to look good do not win.
double promise_of(double hits, double hits_other, double runs) {
  const double p = hits / runs, q = (hits_other + 1) / runs;
  if (p <= 0) return -1e9;
  return std::log(p / q) - 5 * std::sqrt((1 - p) / hits + std::max(0.0, 1 - q) / (hits_other + 1));
}

// The one-sided normal quantile, by bisection of erfc.
double normal_quantile(double alpha) {
  double low = 0, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) / 2 > alpha ? low : high) = middle;
  }
  return low;
}

}  // namespace

// Ordered on the first half of the runs and judged on the second: the best of many outcomes looks better than it is.
AuditEvent find_event(const BlackBox& box, std::uint64_t runs) {
  const std::uint64_t half = runs / 2, rest = runs - half;
  const auto counts = count_outcomes(box, 0, half);
  auto judged = count_outcomes(box, half, rest);
  AuditEvent best;
  best.promise = -1e9;
  for (std::size_t grain = 0; grain < kGrains; ++grain) {
    for (std::size_t side : {0u, 1u}) {
      std::vector<std::pair<std::uint64_t, std::array<std::uint64_t, 2>>> order(counts[grain].begin(),
                                                                                counts[grain].end());
      const auto score = [&](const auto& entry) {
        const auto hits = static_cast<double>(entry.second[side]), other = static_cast<double>(entry.second[1 - side]);
        return std::log((hits + 1) / (other + 1)) - std::sqrt(1 / (hits + 1) + 1 / (other + 1));
      };
      std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
        return score(a) != score(b) ? score(a) > score(b) : a.first < b.first;
      });
      double hits = 0, other = 0;
      std::size_t kept = 0;
      const double before = best.promise;
      for (std::size_t i = 0; i < order.size(); ++i) {
        const std::array<std::uint64_t, 2>& seen = judged[grain][order[i].first];
        hits += static_cast<double>(seen[side]);
        other += static_cast<double>(seen[1 - side]);
        const double promise = promise_of(hits, other, static_cast<double>(rest));
        if (promise <= best.promise) continue;
        best.promise = promise;
        best.p = hits / static_cast<double>(rest);
        best.q = std::max(other, 1.0) / static_cast<double>(rest);
        kept = i + 1;
      }
      if (best.promise == before) continue;
      best.side = static_cast<int>(side);
      best.grain = grain;
      best.outcomes.clear();
      for (std::size_t i = 0; i < kept; ++i) best.outcomes.insert(order[i].first);
    }
  }
  return best;
}

TestedEvent test_event(const BlackBox& box, const AuditEvent& event, std::uint64_t first, std::uint64_t runs,
                       double alpha) {
  std::array<std::uint64_t, 2> hits{};
  for (int side : {0, 1}) {
    tbb::combinable<std::uint64_t> local([] { return std::uint64_t{0}; });
    tbb::parallel_for(std::uint64_t{0}, (runs + kChunk - 1) / kChunk, [&](std::uint64_t chunk) {
      std::uint64_t seen = 0;
      for (std::uint64_t run = chunk * kChunk; run < std::min(runs, (chunk + 1) * kChunk); ++run) {
        seen += event.outcomes.contains(box(side, first + run)[event.grain]);
      }
      local.local() += seen;
    });
    hits[static_cast<std::size_t>(side)] = local.combine(std::plus<>());
  }
  TestedEvent tested;
  tested.runs = runs;
  tested.hits = hits[static_cast<std::size_t>(event.side)];
  tested.hits_other = hits[static_cast<std::size_t>(1 - event.side)];
  const double p = clopper_pearson_lower(tested.hits, runs, alpha / 2);
  const double q = clopper_pearson_upper(tested.hits_other, runs, alpha / 2);
  tested.lower_bound = p > q ? std::log(p / q) : 0;
  return tested;
}

std::uint64_t runs_needed(const AuditEvent& event, double slack, double alpha) {
  const double spread = std::sqrt((1 - event.p) / event.p) + std::sqrt((1 - event.q) / event.q);
  return static_cast<std::uint64_t>(
      std::min(1e15, std::ceil(std::pow(normal_quantile(alpha / 2) * spread / slack, 2))));
}

}  // namespace stopover
