#include "eval/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stopover {
namespace {

std::vector<ResultRow> example() {
  std::vector<ResultRow> rows;
  for (int data = 0; data < 4; ++data) {
    const std::string name = "d" + std::to_string(data);
    for (std::uint32_t rep = 0; rep < 2; ++rep) {
      rows.push_back({name, "a", "0.1", "random", rep, "mre", 10.0 + 2 * rep});          // mean 11
      rows.push_back({name, "b", "0.1", "random", rep, "mre", 11 * std::pow(2, data)});  // 11, 22, 44, 88
    }
  }
  rows.push_back({"d0", "c", "0.1", "random", 0, "mre", 5.5});
  return rows;
}

TEST(Comparison, LooksUpMeansOverRepetitions) {
  const Comparison c(example());
  EXPECT_EQ(c.figure({"d0", "0.1", "random"}, "a", "mre"), 11);
  EXPECT_EQ(c.figure({"d0", "0.1", "random"}, "z", "mre"), std::nullopt);
  EXPECT_EQ(c.median({"d0", "0.1", "random"}, "z", "mre"), std::nullopt);
  EXPECT_EQ(c.best({"d0", "0.1", "random"}, {"a", "b", "c", "z"}, "mre"), 5.5);
  EXPECT_EQ(c.mechanisms(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Comparison, MediansAreNotMovedByOne) {
  std::vector<ResultRow> rows;
  for (const double size : {128.0, 3.0, 128.0, 2.0, 4.0}) {
    rows.push_back({"d", "a", "0.1", "needle", static_cast<std::uint32_t>(rows.size()), "needle_limits", size});
  }
  EXPECT_EQ(Comparison(rows).median({"d", "0.1", "needle"}, "a", "needle_limits"), 4);
  EXPECT_EQ(Comparison(rows).figure({"d", "0.1", "needle"}, "a", "needle_limits"), 53);
}

TEST(Comparison, StandardErrorsAreOfTheRepetitions) {
  const std::vector<ResultRow> rows = {{"d", "a", "0.1", "blob@4", 0, "found", 0.5},
                                       {"d", "a", "0.1", "blob@4", 1, "found", 1},
                                       {"d", "b", "0.1", "blob@4", 0, "found", 1}};
  const Comparison c(rows);
  EXPECT_DOUBLE_EQ(*c.error({"d", "0.1", "blob@4"}, "a", "found"), 0.25);  // a deviation of sqrt(1/8), over sqrt 2
  EXPECT_EQ(c.count({"d", "0.1", "blob@4"}, "a", "found"), 2u);
  EXPECT_FALSE(c.error({"d", "0.1", "blob@4"}, "b", "found"));
  EXPECT_EQ(c.count({"d", "0.1", "blob@4"}, "z", "found"), 0u);
}

TEST(Comparison, RatiosAreGeometric) {
  const Comparison c(example());
  std::vector<CellName> cells;
  for (int data = 0; data < 4; ++data) cells.push_back({"d" + std::to_string(data), "0.1", "random"});
  cells.push_back({"not there", "0.1", "random"});
  const Ratio r = c.ratio(cells, {"b"}, {"a"}, "mre");
  EXPECT_EQ(r.cells, 4u);
  EXPECT_NEAR(r.mean, std::pow(2, 1.5), 1e-9);
  EXPECT_GT(r.lower, 1);
  EXPECT_LT(r.lower, 2);
  EXPECT_GT(r.upper, 4);
  EXPECT_LT(r.upper, 8);
  EXPECT_EQ(c.ratio(cells, {"z"}, {"a"}, "mre").cells, 0u);
  const Ratio one = c.ratio(std::span(cells).first(1), {"c"}, {"a"}, "mre");
  EXPECT_EQ(one.mean, one.lower);
  EXPECT_EQ(one.mean, one.upper);
}

}  // namespace
}  // namespace stopover
