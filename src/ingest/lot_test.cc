#include "ingest/lot.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace stopover {
namespace {

using Values = std::vector<std::optional<std::string_view>>;

// printf '8:stopover4:anna1:71:31:9' | sha256sum, the first 15 digits.
TEST(Lot, IsTheBeginningOfASha256) {
  EXPECT_EQ(lot_of(Values{}), 0xe3b0c44298fc1c1);
  EXPECT_EQ(lot_of(Values{"abc"}), 0xaab5f9ae99b2e38);
  EXPECT_EQ(lot_of(Values{"stopover", "anna", "7", "3", "9"}), 0xbe8b5942114cbc6);
  EXPECT_EQ(lot_of(Values{"stopover", std::nullopt, "7"}), 0xf6992d3ec1a9688);
}

TEST(Lot, NoTwoRowsAreWrittenAlike) {
  const std::vector<Values> rows = {{},
                                    {std::nullopt},
                                    {""},
                                    {"-"},
                                    {"", ""},
                                    {"a", "b"},
                                    {"ab", ""},
                                    {"", "ab"},
                                    {"ab"},
                                    {"a1:b"},
                                    {"1:a", "b"},
                                    {"a", "1:b"},
                                    {"a", std::nullopt},
                                    {std::nullopt, "a"},
                                    {"a", "-"},
                                    {"1", "11"},
                                    {"11", "1"},
                                    {"111"},
                                    {"0:"},
                                    {"0:", ""},
                                    {std::string_view("a\0b", 3)},
                                    {std::string_view("a\0", 2), "b"}};
  std::set<std::int64_t> lots;
  for (const Values& row : rows) lots.insert(lot_of(row));
  EXPECT_EQ(lots.size(), rows.size());
}

TEST(Lot, ALongTextIsHashedWhole) {
  const std::string a(100'000, 'x'), b = a.substr(1) + "y";
  EXPECT_NE(lot_of(Values{a}), lot_of(Values{b}));
}

}  // namespace
}  // namespace stopover
