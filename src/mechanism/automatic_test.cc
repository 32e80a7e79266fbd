#include "mechanism/automatic.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

std::string_view picked(const std::vector<std::uint64_t>& shape) {
  return choose_mechanism(*Domain::of_shape(shape)).mechanism->name;
}

TEST(Automatic, PicksByTheDeclaredDomain) {
  EXPECT_EQ(picked({1000}), "multigrid");
  EXPECT_EQ(picked({1000, 1000}), "multigrid");
  EXPECT_EQ(picked({1000, 1000, 24}), "anchor");
  EXPECT_EQ(picked({1000, 1000, 1000, 1000}), "anchor");
  EXPECT_EQ(picked(std::vector<std::uint64_t>(12, 1000)), "anchor");
  EXPECT_EQ(picked({100000, 100000}), "privtree-rr");
  EXPECT_EQ(picked({100000, 100000, 100000, 100000}), "privtree-rr");
}

}  // namespace
}  // namespace stopover
