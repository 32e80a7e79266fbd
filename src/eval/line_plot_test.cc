#include "eval/line_plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace stopover {
namespace {

LinePlot example() {
  LinePlot plot{"Errors & <noise>", "made up", "epsilon", "error, %", Scale::log, Scale::log, {}};
  plot.series.push_back({"ebp", slot_of("ebp"), {0.1, 0.3, 1}, {200, 90, 30}, {180, 80, 25}, {220, 100, 36}});
  plot.series.push_back({"daf-entropy", slot_of("daf-entropy"), {0.1, 0.3, 1}, {199, 85, 29}, {}, {}});
  plot.series.push_back(
      {"odd", slot_of("odd"), {0.1, 0.3, 1}, {0, std::numeric_limits<double>::quiet_NaN(), 1000}, {}, {}});
  return plot;
}

std::size_t count(const std::string& text, const std::string& piece) {
  std::size_t n = 0;
  for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++n;
  return n;
}

TEST(LinePlot, SvgIsWholeAndSelfContained) {
  const std::string svg = to_svg(example());
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("Errors &amp; &lt;noise&gt;"), std::string::npos);
  EXPECT_EQ(count(svg, "class=\"so-line"), 3u);
  EXPECT_EQ(count(svg, "class=\"so-band"), 1u);
  EXPECT_EQ(count(svg, "http"), 1u);  // the namespace alone
  EXPECT_EQ(svg.find("script"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_NE(svg.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_LT(svg.size(), 6000u);
}

TEST(LinePlot, BoundsAreDottedAndUnmarked) {
  LinePlot plot = example();
  plot.series.push_back({"limit", 0, {0.1, 1}, {50, 5}, {}, {}, true});
  const std::string svg = to_svg(plot);
  EXPECT_EQ(count(svg, "class=\"so-line"), 4u);
  EXPECT_EQ(count(svg, "class=\"so-line so-bound\""), 1u);
  EXPECT_EQ(count(svg, "class=\"so-mark"), 3u);
  EXPECT_NE(svg.find("class=\"so-ink\""), std::string::npos);
  EXPECT_NE(svg.find(">limit</text>"), std::string::npos);
  EXPECT_NE(to_text(plot).find("D limit"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(to_vega_lite(plot))["data"]["values"].size(), 10u);
}

TEST(LinePlot, HigherIsDrawnHigher) {
  LinePlot plot{"t", "", "x", "y", Scale::linear, Scale::linear, {{"a", 0, {0, 1}, {1, 2}, {}, {}}}};
  const std::string svg = to_svg(plot);
  const std::size_t at = svg.find("class=\"so-line");
  double x0, y0, x1, y1;
  ASSERT_EQ(std::sscanf(svg.c_str() + svg.find(" d=\"M", at), " d=\"M%lf %lfL%lf %lf", &x0, &y0, &x1, &y1), 4);
  EXPECT_LT(x0, x1);
  EXPECT_GT(y0, y1);
}

// A logarithmic axis over less than a factor of two still says where it is: by even steps.
TEST(LinePlot, NarrowLogarithmicAxesHaveTicks) {
  const LinePlot plot{"t", "", "x", "y", Scale::linear, Scale::log, {{"a", 0, {0, 1}, {62, 97}, {}, {}}}};
  const std::string svg = to_svg(plot);
  for (const char* tick : {">60<", ">80<", ">100<"}) EXPECT_NE(svg.find(tick), std::string::npos) << tick;
}

TEST(LinePlot, LargeTicksAreGrouped) {
  const LinePlot plot{"t", "", "x", "y", Scale::log, Scale::linear, {{"a", 0, {1e4, 1e6}, {1, 2}, {}, {}}}};
  const std::string svg = to_svg(plot);
  EXPECT_NE(svg.find(">10,000<"), std::string::npos);
  EXPECT_NE(svg.find(">1,000,000<"), std::string::npos);
}

// Those that docs/internals/results.md draws beside each other, and those of docs/internals/limits.md.
TEST(LinePlot, DrawnTogetherHaveColoursOfTheirOwn) {
  for (const char* last : {"ebp", "sparse"}) {
    std::set<int> colours;
    for (const char* name : {"anchor", "multigrid", "ag", "privtree", "hdpview", "daf-entropy", "kd-hybrid", last}) {
      EXPECT_TRUE(colours.insert(slot_of(name) % 8).second) << name;
    }
  }
}

TEST(LinePlot, LabelsDoNotOverlap) {
  LinePlot plot{"t", "", "x", "y", Scale::linear, Scale::linear, {}};
  for (int i = 0; i < 12; ++i) plot.series.push_back({"c" + std::to_string(i), i, {0, 1}, {0, 1 + 0.001 * i}, {}, {}});
  const std::string svg = to_svg(plot);
  std::vector<double> ys;
  for (int i = 0; i < 12; ++i) {
    const std::size_t at = svg.find(">c" + std::to_string(i) + "</text>");
    ASSERT_NE(at, std::string::npos);
    ys.push_back(std::stod(svg.substr(svg.rfind("y=\"", at) + 3)));
  }
  std::sort(ys.begin(), ys.end());
  for (std::size_t i = 1; i < ys.size(); ++i) EXPECT_GE(ys[i] - ys[i - 1], 12.9);
  EXPECT_LT(ys.back(), 400);
  EXPECT_GT(ys.front(), 0);
}

TEST(LinePlot, SpecHoldsTheSameValues) {
  const auto spec = nlohmann::json::parse(to_vega_lite(example()));
  EXPECT_EQ(spec["data"]["values"].size(), 8u);
  EXPECT_EQ(spec["data"]["values"][1]["y"], 90);
  EXPECT_EQ(spec["data"]["values"][1]["high"], 100);
  EXPECT_EQ(spec["layer"][1]["encoding"]["y"]["scale"]["type"], "log");
}

TEST(LinePlot, TextFitsEightyColumns) {
  std::istringstream lines(to_text(example()));
  std::size_t n = 0;
  for (std::string line; std::getline(lines, line); ++n) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_GT(n, 20u);
  EXPECT_NE(to_text(example()).find("A ebp"), std::string::npos);
}

TEST(LinePlot, NothingToDrawIsNoCrash) {
  LinePlot plot{"t", "", "x", "y", Scale::log, Scale::log, {}};
  EXPECT_TRUE(to_svg(plot).ends_with("</svg>\n"));
  plot.series.push_back({"one", 0, {1}, {1}, {}, {}});
  EXPECT_EQ(to_svg(plot).find("nan"), std::string::npos);
  EXPECT_FALSE(to_text(plot).empty());
  plot.series[0].y = {-1};
  EXPECT_TRUE(to_svg(plot).ends_with("</svg>\n"));
}

}  // namespace
}  // namespace stopover
