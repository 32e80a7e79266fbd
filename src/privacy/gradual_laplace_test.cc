// Every p-value here is compared with kFalseAlarm = 1e-9; keys are fixed.
#include "privacy/gradual_laplace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "testing/goodness_of_fit.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

// fine below, at and above den; far apart, close together, equal; large numbers.
struct Pair {
  std::uint64_t fine, coarse, den;
  long double a(std::uint64_t num) const { return std::exp(-rate(num)); }
  long double rate(std::uint64_t num) const { return static_cast<long double>(num) / static_cast<long double>(den); }
  long double stay() const { return a(fine) / a(coarse) * std::pow((1 - a(coarse)) / (1 - a(fine)), 2.0L); }
  long double step_pmf(std::int64_t w) const {
    return (w == 0 ? stay() : 0) + (1 - stay()) * laplace_pmf(rate(coarse), w);
  }
};
constexpr Pair kPairs[] = {{10, 3, 100},
                           {10, 3, 10},
                           {25, 4, 10},
                           {35, 34, 10},
                           {5, 5, 10},
                           {700'000'000, 50'000'000, 1'000'000'000},
                           {1'500'000'000'000'000'000, 800'000'000'000'000'000, 1'000'000'000'000'000'000}};

// x in [-range, range] as an index; what lies beyond goes to the ends.
std::size_t slot(std::int64_t x, std::int64_t range) {
  return static_cast<std::size_t>(std::clamp(x, -range, range) + range);
}

template <typename Pmf>
std::vector<long double> gradual_law(Pmf pmf, std::int64_t range) {
  std::vector<long double> out(static_cast<std::size_t>(2 * range + 1));
  long double inner = 0;
  for (std::int64_t x = -range + 1; x < range; ++x) inner += out[slot(x, range)] = pmf(x);
  out.front() = out.back() = (1 - inner) / 2;
  return out;
}

// The theorem itself, without a sampler: DL(fine) convolved with the gradual_law of W is DL(coarse).
TEST(GradualLaplace, TheStepTurnsFineIntoCoarse) {
  for (const Pair& pair : kPairs) {
    const auto reach = static_cast<std::int64_t>(60 / pair.rate(pair.coarse)) + 60;
    EXPECT_GE(pair.stay(), 0);
    EXPECT_LE(pair.stay(), 1 + 1e-15L);
    for (std::int64_t y = -20; y <= 20; ++y) {
      long double sum = 0;
      for (std::int64_t h = -reach; h <= reach; ++h) sum += laplace_pmf(pair.rate(pair.fine), h) * pair.step_pmf(y - h);
      EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(laplace_pmf(pair.rate(pair.coarse), y)), 1e-15);
    }
  }
}

TEST(GradualLaplace, HiddenReleasedAndStepFollowTheirLaws) {
  Stream stream(test_key("gradual"), {});
  for (const Pair& pair : kPairs) {
    const auto range = static_cast<std::int64_t>(20 / pair.rate(pair.coarse)) + 2;
    const std::size_t size = slot(range, range) + 1;
    std::vector<std::uint64_t> hidden(size), released(size), step(size), joint(81);
    for (int i = 0; i < 500'000; ++i) {
      const GradualDraw draw = gradual_laplace(stream, {pair.fine, pair.den}, {pair.coarse, pair.den});
      const std::int64_t w = draw.released_noise - draw.hidden_noise;
      ++hidden[slot(draw.hidden_noise, range)];
      ++released[slot(draw.released_noise, range)];
      ++step[slot(w, range)];
      ++joint[slot(draw.hidden_noise, 4) * 9 + slot(w, 4)];
    }
    const auto fine_pmf = [&](std::int64_t x) { return laplace_pmf(pair.rate(pair.fine), x); };
    const auto coarse_pmf = [&](std::int64_t x) { return laplace_pmf(pair.rate(pair.coarse), x); };
    const auto step_pmf = [&](std::int64_t x) { return pair.step_pmf(x); };
    EXPECT_GT(chi_square(hidden, gradual_law(fine_pmf, range)).p_value, kFalseAlarm) << pair.fine << " " << pair.coarse;
    EXPECT_GT(chi_square(released, gradual_law(coarse_pmf, range)).p_value, kFalseAlarm)
        << pair.fine << " " << pair.coarse;
    EXPECT_GT(chi_square(step, gradual_law(step_pmf, range)).p_value, kFalseAlarm) << pair.fine << " " << pair.coarse;
    std::vector<long double> product(81);  // W does not depend on the hidden noise
    const auto h = gradual_law(fine_pmf, 4), w = gradual_law(step_pmf, 4);
    for (std::size_t i = 0; i < 81; ++i) product[i] = h[i / 9] * w[i % 9];
    EXPECT_GT(chi_square(joint, product).p_value, kFalseAlarm) << pair.fine << " " << pair.coarse;
  }
}

TEST(GradualLaplace, EqualRatesReleaseTheHiddenCount) {
  Stream stream(test_key("gradual"), {});
  for (int i = 0; i < 1000; ++i) {
    const GradualDraw draw = gradual_laplace(stream, {3, 10}, {3, 10});
    EXPECT_EQ(draw.hidden_noise, draw.released_noise);
  }
}

TEST(GradualLaplaceDeathTest, RefusesUnequalDenominatorsAndACoarserHiddenCount) {
  Stream stream(test_key("gradual"), {});
  EXPECT_DEATH(gradual_laplace(stream, {3, 10}, {3, 20}), "fine >= coarse");
  EXPECT_DEATH(gradual_laplace(stream, {3, 10}, {4, 10}), "fine >= coarse");
}

}  // namespace
}  // namespace stopover
