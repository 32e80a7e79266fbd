#include "eval/partition_plot.h"

#include <gtest/gtest.h>

#include "mechanism/mechanism.h"
#include "privacy/stream_dice.h"
#include "synthetic/generate.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

std::string draw(const Matrix& matrix, std::string_view name, const PartitionPlot& plot) {
  const Mechanism& mechanism = *find_mechanism(name);
  StreamDice dice(test_key("partition plot"));
  Kernel kernel(matrix, dice, kTicksPerEpsilon, 1);
  return partition_svg(plot, run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip), matrix);
}

TEST(PartitionPlot, DrawsLeavesOverDensity) {
  const Matrix matrix = to_matrix(*generate_city(1, 20'000, 500, 7));
  const std::string svg = draw(matrix, "daf-entropy", {"a & b", "c", 0, 1});
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("a &amp; b"), std::string::npos);
  EXPECT_NE(svg.find("so-f0"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_LT(svg.size(), 400'000u);
}

TEST(PartitionPlot, DrawsShadowsOfMoreAxes) {
  const Matrix matrix = to_matrix(*generate_city(2, 20'000, 500, 7));
  const std::string first = draw(matrix, "daf-entropy", {"t", "", 0, 1}),
                    second = draw(matrix, "daf-entropy", {"t", "", 2, 3});
  EXPECT_NE(first, second);
}

TEST(PartitionPlot, OfNothingIsNoCrash) {
  const Matrix matrix = to_matrix(*generate_gaussian(2, 0, 10, 1, 1));
  EXPECT_EQ(draw(matrix, "uniform", {"t", "", 0, 1}).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace stopover
