#include "mechanism/empirical_bayes.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <numeric>
#include <random>

namespace stopover {
namespace {

struct Drawn {
  std::vector<float> bases;
  std::vector<std::int64_t> truth, counts;
};

std::int64_t noise(double rate, std::mt19937_64& random) {
  std::geometric_distribution<std::int64_t> half(1 - std::exp(-rate));
  return half(random) - half(random);
}

// n values of one base, of which a share is Poisson of base/share and the rest 0.
Drawn draw(std::size_t n, double base, double share, double rate, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Drawn drawn;
  for (std::size_t i = 0; i < n; ++i) {
    const bool full = std::uniform_real_distribution<double>()(random) < share;
    drawn.bases.push_back(static_cast<float>(base));
    drawn.truth.push_back(full ? std::poisson_distribution<std::int64_t>(base / share)(random) : 0);
    drawn.counts.push_back(drawn.truth.back() + noise(rate, random));
  }
  return drawn;
}

double mean_error(const Drawn& drawn, const std::vector<float>& believed) {
  double sum = 0;
  for (std::size_t i = 0; i < believed.size(); ++i) sum += std::abs(believed[i] - static_cast<double>(drawn.truth[i]));
  return sum / static_cast<double>(believed.size());
}

// One in fifty holds about 40, the others nothing, and a count is off by 2 on average: known so well that next to no
// error is left, where counts as they are have one of 2.
TEST(EmpiricalBayes, LearnsThatMostAreEmpty) {
  const Drawn drawn = draw(20'000, 0.8, 0.02, 0.5, 1);
  const Beliefs believed = empirical_bayes(drawn.bases, drawn.counts, 0.5, {.doubt = 3, .quantiles = true});
  EXPECT_LT(mean_error(drawn, believed.quantile), 0.08);
  EXPECT_LT(mean_error(drawn, believed.mean), 0.12);
  const double sum = std::accumulate(believed.mean.begin(), believed.mean.end(), 0.0);
  const double truth = static_cast<double>(std::accumulate(drawn.truth.begin(), drawn.truth.end(), std::int64_t{0}));
  EXPECT_NEAR(sum, truth, 0.1 * truth);
}

// Where all follow their base, beliefs do, too: a count of noise 10 says little against a Poisson law of mean 6.
TEST(EmpiricalBayes, LearnsThatBasesAreRight) {
  const Drawn drawn = draw(20'000, 6, 1, 0.1, 2);
  const Beliefs believed = empirical_bayes(drawn.bases, drawn.counts, 0.1, {});
  EXPECT_LT(mean_error(drawn, believed.mean), 1.2 * 2.0);  // that of a Poisson law of mean 6 around it is 2.0
}

// What is believed of the spread is the spread: of the true counts' squared distance from the mean.
TEST(EmpiricalBayes, VariancesAreThoseOfTheError) {
  for (const double share : {0.1, 1.0}) {
    const Drawn drawn = draw(20'000, 4, share, 0.3, 3);
    const Beliefs believed = empirical_bayes(drawn.bases, drawn.counts, 0.3, {});
    double squares = 0, variances = 0;
    for (std::size_t i = 0; i < drawn.truth.size(); ++i) {
      const double off = believed.mean[i] - static_cast<double>(drawn.truth[i]);
      squares += off * off;
      variances += believed.variance[i];
    }
    EXPECT_NEAR(variances / squares, 1, 0.2) << share;
  }
}

// A count far above its noise is believed as it is, among any number of empty ones.
TEST(EmpiricalBayes, LargeCountsStandAndNothingIsNegative) {
  for (const double rate : {1e-6, 0.05, 1.0, 50.0}) {
    Drawn drawn = draw(3'000, 0.01, 1, rate, 4);
    drawn.counts[7] = static_cast<std::int64_t>(std::ceil(31 / rate)) + 3;
    const Beliefs believed = empirical_bayes(drawn.bases, drawn.counts, rate, {.doubt = 3, .quantiles = true});
    EXPECT_EQ(believed.mean[7], static_cast<float>(drawn.counts[7])) << rate;
    EXPECT_EQ(believed.quantile[7], static_cast<float>(drawn.counts[7])) << rate;
    for (std::size_t i = 0; i < believed.mean.size(); ++i) {
      ASSERT_GE(believed.mean[i], 0);
      ASSERT_GE(believed.quantile[i], 0);
      ASSERT_GT(believed.variance[i], 0);
      ASSERT_TRUE(std::isfinite(believed.mean[i]) && std::isfinite(believed.variance[i])) << rate;
    }
  }
}

// Beliefs are not negative, so those of a table without a trip sum to something: doubt draws that to nothing.
TEST(EmpiricalBayes, DoubtLeavesAnEmptyTableNearlyEmpty) {
  const Drawn drawn = draw(30'000, 0, 1, 0.1, 5);
  const Beliefs plain = empirical_bayes(drawn.bases, drawn.counts, 0.1, {});
  const Beliefs doubting = empirical_bayes(drawn.bases, drawn.counts, 0.1, {.doubt = 3});
  const double without = std::accumulate(plain.mean.begin(), plain.mean.end(), 0.0);
  EXPECT_LT(std::accumulate(doubting.mean.begin(), doubting.mean.end(), 0.0), 0.5 * without);
}

TEST(EmpiricalBayes, TheSameForAnyThreadsAndForNoValues) {
  const Drawn drawn = draw(200'000, 2, 0.3, 0.4, 6);
  std::vector<Beliefs> results;
  for (const std::size_t threads : {1u, 8u}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    results.push_back(empirical_bayes(drawn.bases, drawn.counts, 0.4, {.doubt = 3, .quantiles = true}));
  }
  EXPECT_EQ(results[0].mean, results[1].mean);
  EXPECT_EQ(results[0].quantile, results[1].quantile);
  EXPECT_EQ(results[0].variance, results[1].variance);
  EXPECT_TRUE(empirical_bayes({}, {}, 1, {.quantiles = true}).mean.empty());
  // None but large ones: no law is learned.
  EXPECT_EQ(empirical_bayes(std::vector<float>{1}, std::vector<std::int64_t>{99}, 1, {.quantiles = true}).quantile,
            std::vector<float>{99});
}

}  // namespace
}  // namespace stopover
