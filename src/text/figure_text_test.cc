#include "text/figure_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace stopover {
namespace {

TEST(FigureText, HasTheDigitsThatANumberDeserves) {
  EXPECT_EQ(figure_text(1494.26398716), "1,494");
  EXPECT_EQ(figure_text(-1234567.5), "-1,234,568");
  EXPECT_EQ(figure_text(100), "100");
  EXPECT_EQ(figure_text(99.96), "100");
  EXPECT_EQ(figure_text(12.345), "12.3");
  EXPECT_EQ(figure_text(-8.509), "-8.51");
  EXPECT_EQ(figure_text(0.012345), "0.0123");
  EXPECT_EQ(figure_text(12), "12");
  EXPECT_EQ(figure_text(0), "0");
  EXPECT_EQ(figure_text(-0.0), "0");
  EXPECT_EQ(figure_text(1e20), "1e+20");
  EXPECT_EQ(figure_text(std::numeric_limits<double>::quiet_NaN()), "unknown");
  EXPECT_EQ(figure_text(std::numeric_limits<double>::infinity()), "unknown");
}

TEST(FigureText, HalvesGoAsTheirTwelveDigitsSay) {
  EXPECT_EQ(figure_text(122.5), "122");
  EXPECT_EQ(figure_text(123.5), "124");
  EXPECT_EQ(figure_text(123.49999999999999), "124");
}

TEST(FigureText, SharesArePercentOfThreeDigits) {
  EXPECT_EQ(share_text(0.123456), "12.3 %");
  EXPECT_EQ(share_text(1), "100 %");
  EXPECT_EQ(share_text(0.0001234), "0.0123 %");
}

TEST(NumberText, KeepsTwelveDigits) {
  EXPECT_EQ(number_text(1494.263987161), "1494.26398716");
  EXPECT_EQ(rounded(1494.263987161), 1494.26398716);
}

TEST(FigureText, NothingIsShownAsNothing) {
  EXPECT_EQ(figure_text(2.27e-18), "0");
  EXPECT_EQ(figure_text(-1e-5), "0");
  EXPECT_EQ(figure_text(0.0123456), "0.0123");
}

}  // namespace
}  // namespace stopover
