#include "base/ticks.h"

#include <gtest/gtest.h>

#include <numeric>

namespace stopover {
namespace {

TEST(Ticks, ParsesPlainDecimalsExactly) {
  EXPECT_EQ(*parse_epsilon("0.1"), 100'000'000u);
  EXPECT_EQ(*parse_epsilon("1"), 1'000'000'000u);
  EXPECT_EQ(*parse_epsilon(".5"), 500'000'000u);
  EXPECT_EQ(*parse_epsilon("0.000000001"), 1u);
  EXPECT_EQ(*parse_epsilon("1000"), kMaxTicks);
  EXPECT_EQ(*parse_epsilon("0.1000000000"), 100'000'000u);
}

TEST(Ticks, RefusesWhatIsNotAPlainDecimalAboveZero) {
  for (const char* text : {"", ".", "0", "-1", "nan", "inf", "1e-10", "0,1", "0.0000000001", "1001", "+1", " 1", "1 ",
                           "0x1", "1.2.3", "99999999999999999999999999999999999999999999"}) {
    const auto parsed = parse_epsilon(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().failure, Failure::usage);
    EXPECT_NE(parsed.error().message.find(std::string("\"") + text + "\""), std::string::npos) << text;
  }
}

TEST(Ticks, FormatIsTheInverseOfParse) {
  for (Ticks t : {Ticks{1}, Ticks{100'000'000}, Ticks{1'500'000'000}, Ticks{999'999'999}, kMaxTicks}) {
    EXPECT_EQ(*parse_epsilon(format_epsilon(t)), t);
  }
  EXPECT_EQ(format_epsilon(0), "0");
  EXPECT_EQ(format_epsilon(100'000'000), "0.1");
}

TEST(Ticks, SharesSumToTheWhole) {
  for (Ticks total : {Ticks{1}, Ticks{7}, Ticks{100'000'001}, kMaxTicks}) {
    const auto shares = split_by_weights(total, {1, 3.3, 0, 7e5, 1e-9});
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), Ticks{0}), total);
  }
  EXPECT_EQ(share(kMaxTicks, 999, 1000), kMaxTicks / 1000 * 999);
}

TEST(Ticks, ANumberIsItsShortDecimal) {
  for (const char* text : {"0.1", "0.3", "1", "0.000000001", "999.999999999", "1000", "0.123456789"}) {
    const Result<Ticks> ticks = epsilon_of(std::stod(text));
    ASSERT_TRUE(ticks) << text;
    EXPECT_EQ(*ticks, *parse_epsilon(text)) << text;
  }
  for (const double bad : {0.0, -1.0, 1e-10, 0.1 + 1e-12, 1000.1, 0.1 + 0.2}) EXPECT_FALSE(epsilon_of(bad)) << bad;
  EXPECT_FALSE(epsilon_of(std::stod("nan")));
}

}  // namespace
}  // namespace stopover
