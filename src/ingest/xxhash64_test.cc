#include "ingest/xxhash64.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace stopover {
namespace {

// Values of the XXH64 specification's reference implementation.
TEST(XxHash64, GivesTheReferenceValues) {
  EXPECT_EQ(xxhash64("", 0), 0xEF46DB3751D8E999ULL);
  EXPECT_EQ(xxhash64("a", 0), 0xD24EC4F1A98C6E5BULL);
  EXPECT_EQ(xxhash64("abc", 0), 0x44BC2CF5AD770999ULL);
  EXPECT_EQ(xxhash64("Nobody inspects the spammish repetition", 0), 0xFBCEA83C8A378BF1ULL);
}

// Spark: SELECT xxhash64('Spark') and xxhash64('a', 'b', NULL); spark/cells_test.py compares more against a live Spark.
TEST(XxHash64, ChainsColumnsAsSparkDoes) {
  using Texts = std::array<std::optional<std::string_view>, 3>;
  const std::int64_t a = xxhash64_row(Texts{"a", "b", std::nullopt});
  EXPECT_EQ(a, static_cast<std::int64_t>(xxhash64("b", xxhash64("a", 42))));
  EXPECT_NE(a, xxhash64_row(Texts{"ab", "", std::nullopt}));
  EXPECT_NE(a, xxhash64_row(Texts{"b", "a", std::nullopt}));
}

}  // namespace
}  // namespace stopover
