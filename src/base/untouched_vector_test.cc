#include "base/untouched_vector.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace stopover {
namespace {

struct Pair {
  double a = 7, b = 7;
};

TEST(UntouchedVector, ElementsThatAreMadeFromValuesHaveThem) {
  UntouchedVector<Pair> values(3, Pair{1, 2});
  values.push_back({3, 4});
  for (int i = 0; i < 1000; ++i) values.emplace_back(Pair{5, 6});
  EXPECT_EQ(values[2].b, 2);
  EXPECT_EQ(values[3].a, 3);
  EXPECT_EQ(values.back().b, 6);
  const UntouchedVector<Pair> copy = values;
  EXPECT_EQ(copy.size(), 1004u);
  EXPECT_EQ(copy[1003].a, 5);
}

TEST(UntouchedVector, NewElementsAreAsMemoryWas) {
  UntouchedVector<std::uint64_t> values(8, 42);
  values.resize(0);
  values.resize(8);  // no other memory: capacity stays
  EXPECT_EQ(values[7], 42u);
}

}  // namespace
}  // namespace stopover
