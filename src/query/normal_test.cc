#include "query/normal.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stopover {
namespace {

TEST(Normal, InvertsTheErrorFunction) {
  EXPECT_NEAR(normal_half_width(0.95), 1.959963984540054, 1e-12);
  for (const double z : {1e-9, 0.01, 0.5, 1.0, 2.5, 4.0, 5.5}) {
    EXPECT_NEAR(normal_half_width(std::erf(z / std::sqrt(2.0))), z, 1e-9 * (1 + z)) << z;
  }
}

TEST(Normal, LevelsNextToOneEnd) { EXPECT_LE(normal_half_width(1 - 1e-16), 9); }

}  // namespace
}  // namespace stopover
