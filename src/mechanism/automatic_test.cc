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
  EXPECT_EQ(picked({10000, 10000}), "multigrid");
  EXPECT_EQ(picked({1000, 1000, 24}), "anchor");
  EXPECT_EQ(picked({1000, 1000, 1000, 1000}), "anchor");
  EXPECT_EQ(picked(std::vector<std::uint64_t>(12, 1000)), "anchor");
  const Axis zones = Axis::of_labels("o", AxisKind::zone, {"a", "b"});
  const Axis hours = Axis::of_labels("hour", AxisKind::category, {"0-12", "12-24"});
  EXPECT_EQ(choose_mechanism(*Domain::make({zones, hours})).mechanism->name, "zones");
  // Three stops between more than a few zones: nearly all tuples are empty.
  const auto stops = [](int stops, int count) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) names.push_back(std::to_string(i));
    std::vector<Axis> axes;
    for (int i = 0; i < stops; ++i) axes.push_back(Axis::of_labels("s" + std::to_string(i), AxisKind::zone, names));
    return axes;
  };
  EXPECT_EQ(choose_mechanism(*Domain::make(stops(2, 4000))).mechanism->name, "zones");
  EXPECT_EQ(choose_mechanism(*Domain::make(stops(3, 32))).mechanism->name, "zones");
  EXPECT_EQ(choose_mechanism(*Domain::make(stops(3, 33))).mechanism->name, "anchor");
  std::vector<Axis> with_hours = stops(2, 4000);
  with_hours.push_back(hours);
  EXPECT_EQ(choose_mechanism(*Domain::make(with_hours)).mechanism->name, "zones");
  EXPECT_EQ(choose_mechanism(*Domain::make({hours})).mechanism->name, "multigrid");
  EXPECT_EQ(picked({100000, 100000}), "privtree-rr");
  EXPECT_EQ(picked({100000, 100000, 100000, 100000}), "privtree-rr");
}

}  // namespace
}  // namespace stopover
