#include "plan/bound_forecast.h"

#include <gtest/gtest.h>

#include <random>

namespace stopover {
namespace {

TEST(BoundForecast, TheKeptShareIsThatOfGeometricTrips) {
  // By the definition: sum over t of P(T = t) min(t, k), over the mean.
  for (const double mean : {1.0, 1.5, 3.0, 12.0}) {
    for (const std::uint32_t k : {1u, 2u, 7u, 64u}) {
      double kept = 0, chance = 1 / mean;
      for (std::uint32_t t = 1; t < 5'000; ++t, chance *= 1 - 1 / mean) kept += chance * std::min(t, k);
      EXPECT_NEAR(kept_share(mean, k), kept / mean, 1e-9) << mean << " " << k;
    }
  }
}

TEST(BoundForecast, BoundsEndWhereNearlyAllIsKept) {
  EXPECT_EQ(bounds_to_try(1), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(bounds_to_try(3), (std::vector<std::uint32_t>{1, 2, 4, 8, 16}));
  EXPECT_EQ(bounds_to_try(1e9).back(), 4096u);
}

TEST(BoundForecast, TheLeastErrorIsRecommendedForEachEpsilon) {
  std::vector<BoundRow> rows;
  for (const Ticks epsilon : {Ticks{1}, Ticks{2}}) {
    for (const std::uint32_t k : {1u, 2u, 4u})
      rows.push_back({epsilon, k, 1, 0, 0, epsilon == 1 ? 0.1 * k : std::array{0.5, 0.2, 0.2}[k / 2], false});
  }
  recommend(rows);
  std::vector<std::uint32_t> best;
  for (const BoundRow& row : rows) {
    if (row.recommended) best.push_back(row.k);
  }
  EXPECT_EQ(best, (std::vector<std::uint32_t>{1, 2}));
}

}  // namespace
}  // namespace stopover
