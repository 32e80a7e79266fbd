#include "query/noise_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "release/consistency.h"

namespace stopover {
namespace {

// The exact distribution of a sum of discrete Laplace variables with integer weights, by convolution over an array.
class ExactSum {
 public:
  ExactSum(const std::vector<std::pair<int, double>>& weights_and_rates) {
    double variance = 0, scale = 0;
    for (const auto& [weight, rate] : weights_and_rates) {
      variance += weight * weight * noise_variance(rate);
      scale = std::max(scale, weight / rate);
      largest_ = std::max(largest_, weight);
    }
    deviation_ = std::sqrt(variance);
    half_ = static_cast<std::size_t>(8 * deviation_ + 30 * scale) + 5 * static_cast<std::size_t>(largest_);
    mass_.assign(2 * half_ + 1, 0);
    mass_[half_] = 1;
    for (const auto& [weight, rate] : weights_and_rates) convolve(static_cast<std::size_t>(weight), std::exp(-rate));
  }

  double deviation() const { return deviation_; }
  double within(double q) const {
    const auto k = static_cast<std::size_t>(std::floor(q + 1e-6));
    if (k >= half_) return 1;
    return std::accumulate(mass_.begin() + static_cast<std::ptrdiff_t>(half_ - k),
                           mass_.begin() + static_cast<std::ptrdiff_t>(half_ + k + 1), 0.0);
  }
  // The least q with P(|S| <= q) >= level.
  double quantile(double level) const {
    double sum = mass_[half_];
    std::size_t k = 0;
    while (sum < level) {
      ++k;
      sum += mass_[half_ - k] + mass_[half_ + k];
    }
    return static_cast<double>(k);
  }

 private:
  void convolve(std::size_t step, double a) {
    for (std::size_t i = 0; i < mass_.size(); ++i)
      mass_[i] = (1 - a) * mass_[i] + (i >= step ? a * mass_[i - step] : 0);
    for (std::size_t i = mass_.size(); i-- > 0;)
      mass_[i] = (1 - a) * mass_[i] + (i + step < mass_.size() ? a * mass_[i + step] : 0);
  }
  double deviation_ = 0;
  int largest_ = 0;
  std::size_t half_ = 0;
  std::vector<double> mass_;
};

std::vector<NoiseTerm> terms_of(const std::vector<std::pair<int, double>>& weights_and_rates) {
  std::vector<NoiseTerm> terms;
  for (const auto& [weight, rate] : weights_and_rates)
    terms.push_back({static_cast<double>(weight), noise_variance(rate), 1});
  return terms;
}

NoiseCumulants cumulants_of(const std::vector<NoiseTerm>& terms) {
  NoiseCumulants sum;
  for (const NoiseTerm& term : terms) {
    const double w2 = term.weight * term.weight;
    sum.second += w2 * term.variance * static_cast<double>(term.times);
    sum.fourth += w2 * w2 * laplace_fourth(term.variance) * static_cast<double>(term.times);
  }
  return sum;
}

const std::vector<double> kLevels = {0.5, 0.8, 0.9, 0.95, 0.99, 0.999};

TEST(NoiseIntervalTest, OneTermIsTheExactQuantile) {
  for (double rate : {0.001, 0.01, 0.1, 0.3, 0.7, 1.0, 2.0, 3.0, 5.0, 20.0, 400.0}) {
    const double a = std::exp(-rate);
    for (double level : kLevels) {
      std::vector<NoiseTerm> terms = {{-3, noise_variance(rate), 1}};
      const double k = NoiseInterval(level).half_width(terms, {}) / 3;
      EXPECT_EQ(k, std::round(k));
      EXPECT_GE(1 - 2 * std::pow(a, k + 1) / (1 + a), level - 1e-9) << rate << " " << level;
      EXPECT_TRUE(k == 0 || 1 - 2 * std::pow(a, k) / (1 + a) < level + 1e-9) << rate << " " << level;
    }
  }
}

TEST(NoiseIntervalTest, EqualWeightsGiveTheExactLatticeQuantile) {
  for (double rate : {0.01, 0.1, 0.5, 1.0, 2.0, 3.5, 5.0}) {
    for (std::size_t n : {2, 3, 5, 16, 50, 200}) {
      const std::vector<std::pair<int, double>> spec(n, {1, rate});
      const ExactSum exact(spec);
      for (double level : kLevels) {
        std::vector<NoiseTerm> terms = terms_of(spec);
        EXPECT_EQ(NoiseInterval(level).half_width(terms, {}), exact.quantile(level))
            << rate << " " << n << " " << level;
      }
    }
  }
}

TEST(NoiseIntervalTest, EqualWeightsOfDifferentRates) {
  const std::vector<std::pair<int, double>> spec = {{2, 0.1}, {2, 0.3}, {2, 2.0}, {2, 5.0}};
  const ExactSum exact(spec);
  for (double level : kLevels) {
    std::vector<NoiseTerm> terms = terms_of(spec);
    EXPECT_EQ(NoiseInterval(level).half_width(terms, {}), exact.quantile(level)) << level;
  }
}

// Weights on no common lattice that matters: the level holds, and the interval is little wider than the shortest.
TEST(NoiseIntervalTest, UnequalWeightsCoverAndAreTight) {
  const std::vector<std::vector<int>> weight_sets = {{20, 7},
                                                     {20, 19},
                                                     {20, 1},
                                                     {20, 20, 13},
                                                     {20, 6, 6, 5},
                                                     {20, 18, 17, 11, 3},
                                                     {13, 12, 11, 10, 9, 8, 7},
                                                     {20, 20, 20, 20, 20, 20, 10, 10, 10, 5, 5, 3}};
  for (double rate : {0.02, 0.1, 0.3, 1.0, 2.0, 3.0, 5.0}) {
    for (const std::vector<int>& weights : weight_sets) {
      std::vector<std::pair<int, double>> spec;
      for (std::size_t i = 0; i < weights.size(); ++i)
        spec.emplace_back(weights[i], rate * (1 + 0.1 * static_cast<double>(i % 3)));
      const ExactSum exact(spec);
      for (double level : kLevels) {
        std::vector<NoiseTerm> terms = terms_of(spec);
        const double q = NoiseInterval(level).half_width(terms, {});
        EXPECT_GE(exact.within(q), level - 2e-5) << rate << " " << weights.size() << " " << level;
        EXPECT_LE(q, exact.quantile(level) + 0.105 * exact.deviation() + 1e-9)
            << rate << " " << weights.size() << " " << level;
      }
    }
  }
}

// Many answers at once ask for levels near 1: what may be cut off the series shrinks with the chance to miss.
TEST(NoiseIntervalTest, HighLevelsHold) {
  for (double rate : {0.1, 0.5, 1.0, 3.0, 6.0, 8.07}) {
    for (const std::size_t n : {2, 4, 12}) {
      std::vector<std::pair<int, double>> spec;
      for (std::size_t i = 0; i < n; ++i) spec.emplace_back(20 - static_cast<int>(i) % 3, rate);
      const ExactSum exact(spec);
      for (double level : {0.999, 0.9999, 0.99999}) {
        std::vector<NoiseTerm> terms = terms_of(spec);
        const double q = NoiseInterval(level).half_width(terms, {});
        EXPECT_GE(exact.within(q), level - 0.01 * (1 - level)) << rate << " " << n << " " << level;
        EXPECT_LE(q, exact.quantile(level) + 0.105 * exact.deviation() + 1e-9) << rate << " " << n << " " << level;
      }
    }
  }
}

TEST(NoiseIntervalTest, CumulantsAreEnoughWhereTheySay) {
  std::size_t used = 0;
  for (double rate : {0.01, 0.1, 0.5, 1.0, 2.0, 5.0}) {
    for (std::size_t n : {10, 17, 20, 30, 50, 200, 1000}) {
      std::vector<std::pair<int, double>> spec(n, {1, rate});
      if (rate < 0.05 && n > 200) continue;
      const ExactSum exact(spec);
      const NoiseCumulants cumulants = cumulants_of(terms_of(spec));
      for (double level : kLevels) {
        const NoiseInterval interval(level);
        if (!interval.near_normal(cumulants, 1)) continue;
        ++used;
        const double q = interval.half_width(cumulants, 1, true);
        EXPECT_EQ(q, std::round(q));
        EXPECT_GE(exact.within(q), level - 0.01 * (1 - level)) << rate << " " << n << " " << level;
        EXPECT_LE(q, exact.quantile(level) * 1.002 + 1) << rate << " " << n << " " << level;
      }
    }
  }
  EXPECT_GT(used, 100u);
}

// Up to an excess kurtosis of 0.6, if steps are small: hardly off for equal terms, and little too long where one stands
// out.
TEST(NoiseIntervalTest, CumulantsOfFewTermsWithSmallSteps) {
  constexpr double kRate = 0.05;
  std::vector<std::pair<int, double>> equal(6, {20, kRate}), one_stands_out(16, {6, kRate});
  one_stands_out.emplace_back(20, kRate);
  for (const auto& [spec, most] : {std::pair{equal, 0.004}, std::pair{one_stands_out, 0.013}}) {
    const ExactSum exact(spec);
    const NoiseCumulants cumulants = cumulants_of(terms_of(spec));
    EXPECT_GT(cumulants.fourth, 0.49 * cumulants.second * cumulants.second);
    for (double level : {0.8, 0.9, 0.95, 0.99}) {
      const NoiseInterval interval(level);
      ASSERT_TRUE(interval.near_normal(cumulants, 20)) << level;
      EXPECT_TRUE(level == 0.8 || !interval.near_normal(cumulants, 0.2 * exact.deviation())) << level;
      const double q = interval.half_width(cumulants, 20, false);
      EXPECT_GE(exact.within(q), level) << spec.size() << " " << level;
      EXPECT_LE(q - 20, exact.quantile(level) * (1 + most)) << spec.size() << " " << level;
    }
    EXPECT_FALSE(NoiseInterval(0.9999).near_normal(cumulants, 20));
  }
  const NoiseCumulants four = cumulants_of(terms_of(std::vector<std::pair<int, double>>(4, {20, kRate})));
  EXPECT_FALSE(NoiseInterval(0.95).near_normal(four, 0));
}

TEST(NoiseIntervalTest, CumulantsWithMixedWeights) {
  for (double rate : {0.05, 0.3, 1.0}) {
    std::vector<std::pair<int, double>> spec;
    for (int i = 0; i < 60; ++i) spec.emplace_back(1 + (i * 7) % 20, rate * (1 + i % 4));
    const ExactSum exact(spec);
    const NoiseCumulants cumulants = cumulants_of(terms_of(spec));
    for (double level : kLevels) {
      const NoiseInterval interval(level);
      if (!interval.near_normal(cumulants, 20)) continue;
      const double q = interval.half_width(cumulants, 20, false);
      EXPECT_GE(exact.within(q), level) << rate << " " << level;
      EXPECT_LE(q, exact.quantile(level) * 1.003 + 11) << rate << " " << level;
    }
  }
}

TEST(NoiseIntervalTest, TheRestCountsToo) {
  for (double rate : {0.1, 1.0, 4.0}) {
    std::vector<std::pair<int, double>> spec = {{20, rate}, {11, rate}};
    std::vector<NoiseTerm> terms = terms_of(spec);
    std::vector<std::pair<int, double>> small(60, {1, rate});
    const NoiseCumulants rest = cumulants_of(terms_of(small));
    spec.insert(spec.end(), small.begin(), small.end());
    const ExactSum exact(spec);
    for (double level : {0.9, 0.95, 0.99}) {
      std::vector<NoiseTerm> copy = terms;
      const double q = NoiseInterval(level).half_width(copy, {rest, 1});
      EXPECT_GE(exact.within(q), level - 1e-3 * (1 - level)) << rate << " " << level;
      EXPECT_LE(q, exact.quantile(level) + 0.105 * exact.deviation() + 1) << rate << " " << level;
    }
  }
}

// Whatever the processor has, the same bits.
TEST(NoiseIntervalTest, WidthsDoNotDependOnTheProcessor) {
  std::uint64_t number = 1;
  for (int i = 0; i < 300; ++i) {
    std::vector<NoiseTerm> terms;
    for (int k = 0; k < 2 + i % 5; ++k) {
      number = number * 6364136223846793005u + 1442695040888963407u;
      terms.push_back({0.05 + static_cast<double>(number >> 40) * 0x1p-24, 0.5 + 40.0 * (k + 1), 1 + number % 3});
    }
    const NoiseRest rest = i % 2 == 0 ? NoiseRest{} : NoiseRest{{3, 4}, 0.2};
    std::vector<NoiseTerm> again = terms;
    const double level = i % 3 == 0 ? 0.99 : 0.95;
    EXPECT_EQ(NoiseInterval(level).half_width(terms, rest),
              NoiseInterval(level, NoiseInterval::Registers::any).half_width(again, rest));
  }
}

TEST(NoiseIntervalTest, NoNoiseNoWidth) {
  std::vector<NoiseTerm> none = {{0, 5, 1}, {1, 5, 0}};
  EXPECT_EQ(NoiseInterval(0.95).half_width(none, {}), 0);
  std::vector<NoiseTerm> nearly_none = {{1, 1e-200, 1}, {0.5, 1e-200, 3}};
  EXPECT_EQ(NoiseInterval(0.95).half_width(nearly_none, {}), 0);
  EXPECT_EQ(NoiseInterval(0.95).half_width({0, 0}, 1, false), 0);
}

TEST(NoiseIntervalTest, HugeScalesAndRareLargeTermsEnd) {
  std::vector<NoiseTerm> huge = {{1, noise_variance(1e-12), 2}, {0.3, noise_variance(1e-12), 1}};
  const double q = NoiseInterval(0.95).half_width(huge, {});
  EXPECT_GT(q, 3.5e12);
  EXPECT_LT(q, 4.2e12);
  std::vector<NoiseTerm> rare = {{1, 1e-3, 1}, {1e-5, 1, 1}};
  EXPECT_LT(NoiseInterval(0.95).half_width(rare, {}), 0.02);
}

// Twelve terms, each nearly always 0: at 95 % the interval is wider than that of any usual sum of the same variance.
TEST(NoiseIntervalTest, SumsOfTermsThatAreMostlyZeroAreCovered) {
  std::vector<std::pair<int, double>> spec;
  for (int i = 0; i < 12; ++i) spec.emplace_back(20 - i % 7, 5.5);
  const ExactSum exact(spec);
  std::vector<NoiseTerm> terms = terms_of(spec);
  const double q = NoiseInterval(0.95).half_width(terms, {});
  EXPECT_GE(exact.within(q), 0.95 - 2e-5);
  EXPECT_GT(exact.quantile(0.95), 2.4 * exact.deviation());
}

}  // namespace
}  // namespace stopover
