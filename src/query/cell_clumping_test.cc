#include "query/cell_clumping.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "query/answerer.h"
#include "release/sample_release.h"

namespace stopover {
namespace {

// One stop of 64 x 64 cells, of which `squares` squares of 2 x 2 hold trips and were counted cell by cell: what the
// four cells of a square hold. Each square is half of a family of 4 x 2.
Release counted(std::size_t squares, const std::array<std::int64_t, 4>& cells, double noise = 0) {
  const Axis x{"x", 64, AxisKind::number, 0, 64, {}}, y{"y", 64, AxisKind::number, 0, 64, {}};
  Release release = sample::over(*Domain::make({x, y}, {{"place", {0, 1}}}), kTicksPerEpsilon);
  release.answer_model = AnswerModel::maps;
  release.tables = {sample::table("joint", {0, 1}, kTicksPerEpsilon)};
  Table& table = release.tables[0];
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 1);
  table.append(release.domain.whole(), -1, 0, 0, 0);
  for (std::uint32_t i = 0; i < 16; ++i) {
    for (std::uint32_t j = 0; j < 32; ++j) {
      const auto parent = static_cast<std::int32_t>(
          table.append(sample::box({{4 * i, 4 * i + 4}, {2 * j, 2 * j + 2}}), 0, 0, 0, 0));
      for (std::uint32_t cell = 0; cell < 8; ++cell) {
        const std::uint32_t column = 4 * i + cell / 2, row = 2 * j + cell % 2;
        const bool full = cell < 4 && i * 32 + j < squares;
        const auto off = static_cast<std::int64_t>(std::floor(noise * normal(random) + 0.5));
        table.append(sample::box({{column, column + 1}, {row, row + 1}}), parent, (full ? cells[cell] : 0) + off,
                     kTicksPerEpsilon, 0);
      }
    }
  }
  sample::settle(release);
  return release;
}

TEST(CellClumping, TripsAtOnePlaceOfASquareClumpInsideCells) {
  EXPECT_NEAR(cell_clumping(counted(200, {4000, 0, 0, 0})), 1, 1e-3);
  // Half of the trips at one of four cells, the rest beside it: p is a half.
  EXPECT_NEAR(cell_clumping(counted(500, {2000, 2000, 0, 0})), 1 / 3.0, 0.01);
}

TEST(CellClumping, TripsThatSpreadDoNot) {
  EXPECT_NEAR(cell_clumping(counted(500, {1000, 1000, 1000, 1000})), 0, 0.01);
}

// Noise makes four cells differ, and says nothing of where trips are: with it the mean would be 0.007 more.
TEST(CellClumping, NoiseIsTakenOut) {
  const auto noisy = [](std::int64_t each) {
    constexpr double kDeviation = 60;  // of discrete Laplace noise at a 42th of epsilon 1
    Release release = counted(500, {each, each, each, each}, kDeviation);
    for (Ticks& ticks : release.tables[0].row_ticks) ticks = ticks > 0 ? kTicksPerEpsilon / 42 : 0;
    return cell_clumping(release);
  };
  EXPECT_NEAR(noisy(350), 2 / 502.0, 0.003);
  EXPECT_EQ(noisy(100), 1) << "sums below ten deviations";
}

TEST(CellClumping, WithoutEvidenceTripsAreAtOnePlace) {
  EXPECT_EQ(cell_clumping(counted(0, {0, 0, 0, 0})), 1);
  const double few = cell_clumping(counted(2, {1000, 1000, 1000, 1000}));
  EXPECT_NEAR(few, 0.5, 1e-3);
  Release other = counted(500, {1000, 1000, 1000, 1000});
  other.tables.push_back(other.tables[0]);
  EXPECT_EQ(cell_clumping(other), 1) << "maps of several stops";
}

Calibration of_clump_and_noise() {
  Calibration c;
  c.draws = 2;
  c.questions = 100;
  c.weights = {1, 1, 0, 1, 0, 0, 0};
  c.tails = {0.25, 0.025};
  c.signals = {0};
  c.below = {-1, -2};
  c.above = {1, 2};
  return c;
}

// An edge through cells that were counted one by one: what it leaves open goes with the clumping, once in the edge and
// once in the clump.
TEST(CellClumping, SpreadTripsMakeCutCellsSurer) {
  const auto width = [](const std::array<std::int64_t, 4>& cells) {
    Release release = counted(500, cells);
    release.calibration = of_clump_and_noise();
    const Result<BoxIndex> index = BoxIndex::make(release);
    BoxQuery query = BoxQuery::whole(release.domain);
    query.hi[0] = 33.5;
    const Answer a = answer(*index, query, {});
    return a.upper - a.lower;
  };
  EXPECT_GT(width({0, 0, 4000, 0}), 20 * width({1000, 1000, 1000, 1000}));
}

}  // namespace
}  // namespace stopover
