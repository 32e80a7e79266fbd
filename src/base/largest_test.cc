#include "base/largest.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

using Numbers = std::vector<std::size_t>;

TEST(Largest, FirstTheLargestAndOfEqualsTheEarlier) {
  const std::vector<double> values = {2, 0, 7, -1, 2, 9, 0.5};
  EXPECT_EQ(largest(values, 3), (Numbers{5, 2, 0}));
  EXPECT_EQ(largest(values, 100), (Numbers{5, 2, 0, 4, 6}));  // nothing that is not above 0
  EXPECT_EQ(largest(values, 0), Numbers{});
  EXPECT_EQ(largest({}, 4), Numbers{});
}

}  // namespace
}  // namespace stopover
