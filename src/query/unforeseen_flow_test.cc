#include "query/unforeseen_flow.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

TEST(UnforeseenFlow, IsFourLimitsOrThree) {
  // ln(1000^4/2)/0.5 = 53.9, ln(1000^6/2)/0.1 = 407.5, ln(1000^2/2)/0.5 = 26.2.
  EXPECT_NEAR(unforeseen_flow(*Domain::of_shape({1000, 1000, 1000, 1000}), 2, 0.5), 4 * 53.876, 0.01);
  EXPECT_NEAR(unforeseen_flow(*Domain::of_shape({1000, 1000, 1000, 1000, 1000, 1000}), 3, 0.1), 4 * 407.53, 0.1);
  EXPECT_NEAR(unforeseen_flow(*Domain::of_shape({1000, 1000}), 1, 0.5), 3 * 26.245, 0.01);
  EXPECT_EQ(unforeseen_flow(*Domain::of_shape({2}), 1, 0.5), 0);
}

}  // namespace
}  // namespace stopover
