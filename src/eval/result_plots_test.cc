#include "eval/result_plots.h"

#include <gtest/gtest.h>

namespace stopover {
namespace {

const Curve* curve_of(const std::vector<NamedPlot>& plots, const std::string& plot, const std::string& mechanism) {
  for (const NamedPlot& named : plots) {
    for (const Curve& curve : named.plot.series) {
      if (named.name == plot && curve.name == mechanism) return &curve;
    }
  }
  return nullptr;
}

TEST(ResultPlots, GroupsDataByDimensionAndAveragesGeometrically) {
  std::vector<ResultRow> rows;
  for (const char* epsilon : {"0.1", "1"}) {
    const double e = std::stod(epsilon);
    rows.push_back({"sf4 (private)", "ag", epsilon, "random", 0, "bounded_re", 4 / e});
    rows.push_back({"la4 (private)", "ag", epsilon, "random", 0, "bounded_re", 1 / e});
    rows.push_back({"sf4 (private)", "ag", epsilon, "random", 0, "bounded_re_exact", 1});
    rows.push_back({"sf2 (private)", "ag", epsilon, "random", 0, "bounded_re", 7});
  }
  const auto plots = result_plots(rows, {});
  const Curve* error = curve_of(plots, "error-4d", "ag");
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->x, (std::vector<double>{0.1, 1}));
  EXPECT_NEAR(error->y[1], 2, 1e-12);
  EXPECT_NEAR(error->low[1], 1, 1e-12);
  EXPECT_NEAR(error->high[1], 4, 1e-12);
  const Curve* noise = curve_of(plots, "noise-4d", "ag");
  ASSERT_NE(noise, nullptr);
  EXPECT_NEAR(noise->y[1], 75, 1e-9);  // 1 of 4 is left without noise
  EXPECT_NE(curve_of(plots, "error-2d", "ag"), nullptr);
  EXPECT_EQ(curve_of(plots, "size-4d", "ag"), nullptr) << "nothing was measured";
  EXPECT_EQ(curve_of(result_plots(rows, {"ebp"}), "error-4d", "ag"), nullptr);
}

// The limit is drawn wherever needles are, and what is never found stays in the picture.
TEST(ResultPlots, NeedlesAreDrawnWithTheirLimit) {
  std::vector<ResultRow> rows;
  for (const char* epsilon : {"0.1", "0.5"}) {
    const double limit = 27 / std::stod(epsilon);
    for (std::uint32_t rep = 0; rep < 3; ++rep) {
      for (const char* mechanism : {"ag", "uniform"}) {
        rows.push_back({"sf4", mechanism, epsilon, "needle", rep, "limit", limit});
        rows.push_back({"sf4", mechanism, epsilon, "busy", rep, "mre_floor", 1});
        rows.push_back({"sf4", mechanism, epsilon, "busy", rep, "mre", 20});
      }
      rows.push_back({"sf4", "ag", epsilon, "needle", rep, "needle_size", limit * (rep == 0 ? 128 : 3)});
      rows.push_back({"sf4", "uniform", epsilon, "needle", rep, "needle_size", limit * 128});
    }
  }
  const auto plots = result_plots(rows, {});
  const Curve *ag = curve_of(plots, "needle-4d", "ag"), *uniform = curve_of(plots, "needle-4d", "uniform"),
              *limit = curve_of(plots, "needle-4d", "limit"), *never = curve_of(plots, "needle-4d", "not found");
  ASSERT_TRUE(ag && uniform && limit && never);
  EXPECT_TRUE(limit->is_bound && never->is_bound);
  EXPECT_FALSE(ag->is_bound);
  EXPECT_EQ(limit->x, (std::vector<double>{0.1, 0.5}));
  EXPECT_NEAR(limit->y[1], 54, 1e-9);
  EXPECT_NEAR(ag->y[1], 3 * 54, 1e-9);  // the median
  EXPECT_NEAR(uniform->y[0], never->y[0], 1e-9);
  const Curve* floor = curve_of(plots, "busy-4d", "one count");
  ASSERT_NE(floor, nullptr);
  EXPECT_EQ(floor->y, (std::vector<double>{1, 1}));
  EXPECT_EQ(curve_of(plots, "blob-4d", "limit"), nullptr) << "nothing was measured";
}

TEST(ResultPlots, GrowthGoesByTrips) {
  std::vector<ResultRow> rows;
  for (const auto& [name, trips] : {std::pair("gaussian4-n1000000", 1e6), std::pair("gaussian4-n10000", 1e4)}) {
    rows.push_back({name, "ag", "0.1", "-", 0, "trips", trips});
    rows.push_back({name, "ag", "0.1", "-", 0, "publish_seconds", trips / 1e6});
  }
  const auto plots = result_plots(rows, {});
  const Curve* time = curve_of(plots, "time-gaussian4", "ag");
  ASSERT_NE(time, nullptr);
  EXPECT_EQ(time->x, (std::vector<double>{1e4, 1e6}));
  EXPECT_EQ(time->y, (std::vector<double>{0.01, 1}));
}

}  // namespace
}  // namespace stopover
