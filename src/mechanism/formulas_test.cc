#include "mechanism/formulas.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stopover::formulas {
namespace {

constexpr double kC0 = 7.0710678118654755;

TEST(Formulas, EugCorrectedIsUniformGridInTwoDimensionsAndCoarserWithMoreAxesByItsOwnExponent) {
  EXPECT_NEAR(eug_corrected(1e6, 0.1, 2, kC0), 100, 1e-6);
  // By hand: (1e6 * 0.1/10)^(1/3) * 4*6/(16+12-2) = 21.5443469 * 24/26; d = 1: 1e4^(2/3) * 3/2.
  EXPECT_NEAR(eug_corrected(1e6, 0.1, 4, kC0), 21.544346900 * 24 / 26, 1e-6);
  EXPECT_NEAR(eug_corrected(1e6, 0.1, 1, kC0), 464.15888336 * 1.5, 1e-5);
  EXPECT_EQ(eug_corrected(-3, 0.1, 4, kC0), 1);
}

TEST(Formulas, EugIsUniformGridInTwoDimensions) {
  // UG: sqrt(N eps / 10).
  EXPECT_NEAR(eug(1e6, 0.1, 2, kC0), 100, 1e-9);
  EXPECT_NEAR(eug(1e6, 0.5, 2, kC0), std::sqrt(5e4), 1e-9);
  EXPECT_NEAR(eug_for_share(1e6, 0.1, 2, kC0, 0.3), 100, 1e-9);  // r^0
}

TEST(Formulas, EugByHandInFourDimensions) {
  // 2*3/4 * 1e5/10 = 15000; 15000^(1/5) = 6.842554; 4*10/38 of it.
  EXPECT_NEAR(eug(1e6, 0.1, 4, kC0), 6.842554 * 40 / 38, 1e-5);
  EXPECT_EQ(eug(1e6, 0.1, 1, kC0), 1);
  // r^(1/4-1/2) = 16 at r = 1/65536.
  EXPECT_NEAR(eug_for_share(1e6, 0.1, 4, kC0, std::pow(2.0, -16)), std::pow(15000.0 * 16, 0.2), 1e-9);
}

TEST(Formulas, EbpByHand) {
  EXPECT_NEAR(ebp(1e6, 0.1, 2), std::cbrt(1e5 / std::sqrt(2.0)), 1e-9);
  EXPECT_NEAR(ebp(1e6, 0.1, 6), std::pow(1e5 / std::sqrt(2.0), 1.0 / 9), 1e-9);
}

TEST(Formulas, MkmGivesSingleCellsOnTheMapThePaperMentions) {
  // The paper: with a million points on 1000 x 1000 MKM keeps the original cells.
  EXPECT_LT(std::floor(1000 / mkm(1e6, 2)), 2);
}

TEST(Formulas, TotalForAnyNoisyCount) {
  for (double n : {-1e18, -5.0, 0.0, 1e-300, 1.0, 3.0, 1e18, std::numeric_limits<double>::max()}) {
    for (double e : {1e-12, 1.0, 1e3}) {
      for (int d = 1; d <= 12; ++d) {
        for (double m : {eug(n, e, d, kC0), ebp(n, e, d), mkm(n, d), eug_for_share(n, e, d, kC0, 1e-9)}) {
          EXPECT_TRUE(std::isfinite(m) && m >= 1) << n << " " << e << " " << d;
          EXPECT_GE(intervals(m, 7), 1u);
          EXPECT_LE(intervals(m, 7), 7u);
        }
      }
    }
  }
}

TEST(Formulas, LevelWeightsGrowByTheCubeRoot) {
  const auto weights = daf_level_weights(8, 3);
  EXPECT_NEAR(weights[1] / weights[0], 2, 1e-12);
  EXPECT_NEAR(weights[2] / weights[1], 2, 1e-12);
  for (double w : daf_level_weights(1, 5)) EXPECT_EQ(w, 1);  // the closed form would be 0/0
}

TEST(Formulas, EqualCutsDifferByAtMostOneCell) {
  EXPECT_EQ(equal_cuts(0, 10, 3), (std::vector<std::uint32_t>{3, 6}));
  EXPECT_EQ(equal_cuts(5, 8, 3), (std::vector<std::uint32_t>{6, 7}));
  EXPECT_TRUE(equal_cuts(5, 8, 1).empty());
  EXPECT_EQ(equal_cuts(0, 2147483648u, 2)[0], 1073741824u);
}

}  // namespace
}  // namespace stopover::formulas
