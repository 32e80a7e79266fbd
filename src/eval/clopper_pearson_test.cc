#include "eval/clopper_pearson.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stopover {
namespace {

double tail(std::uint64_t hits, std::uint64_t trials, double p) {
  double sum = 0;
  for (std::uint64_t i = hits; i <= trials; ++i) {
    double term = 1;
    for (std::uint64_t j = 0; j < i; ++j) term *= static_cast<double>(trials - j) / static_cast<double>(j + 1) * p;
    sum += term * std::pow(1 - p, static_cast<double>(trials - i));
  }
  return sum;
}

TEST(ClopperPearson, IsWhereTheTailIsAlpha) {
  for (std::uint64_t trials : {1u, 2u, 7u, 30u}) {
    for (std::uint64_t hits = 0; hits <= trials; ++hits) {
      for (double alpha : {0.2, 0.05, 1e-6}) {
        const double low = clopper_pearson_lower(hits, trials, alpha);
        EXPECT_NEAR(hits == 0 ? alpha : tail(hits, trials, low), alpha, 1e-9 * alpha + 1e-13) << hits << "/" << trials;
        EXPECT_NEAR(clopper_pearson_upper(trials - hits, trials, alpha), 1 - low, 1e-12);
        EXPECT_LE(low, static_cast<double>(hits) / static_cast<double>(trials));
      }
    }
  }
}

TEST(ClopperPearson, PublishedValues) {
  // 0 of 100: the "rule of three" exactly, 1 - 0.05^(1/100).
  EXPECT_NEAR(clopper_pearson_upper(0, 100, 0.05), 1 - std::pow(0.05, 0.01), 1e-12);
  // 10 of 100, 95 % two-sided: 0.0490 to 0.1762.
  EXPECT_NEAR(clopper_pearson_lower(10, 100, 0.025), 0.04900469, 1e-7);
  EXPECT_NEAR(clopper_pearson_upper(10, 100, 0.025), 0.17622260, 1e-7);
}

TEST(ClopperPearson, ApproachesTheNormalLawForManyTrials) {
  const double low = clopper_pearson_lower(250'000, 1'000'000, 0.025);
  EXPECT_NEAR(low, 0.25 - 1.959964 * std::sqrt(0.25 * 0.75 / 1e6), 2e-6);
}

}  // namespace
}  // namespace stopover
