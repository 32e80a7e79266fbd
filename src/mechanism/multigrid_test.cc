#include "mechanism/multigrid.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "matrix/matrix.h"
#include "mechanism/mechanism.h"
#include "privacy/stream_dice.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

Release publish_multigrid(std::size_t trips, Ticks epsilon) {
  std::mt19937_64 random(3);
  std::binomial_distribution<std::uint32_t> place(511, 0.5);
  MatrixBuilder builder(*Domain::of_shape({512, 512}));
  for (std::size_t i = 0; i < trips; ++i) builder.add(std::vector<std::uint32_t>{place(random), place(random)}, 1);
  const Matrix matrix = std::move(builder).build();
  StreamDice dice(test_key("multigrid"));
  Kernel kernel(matrix, dice, epsilon, 1);
  const Mechanism& mechanism = *find_mechanism("multigrid");
  return run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
}

// With many trips the leaves need little, and what they need least would leave the coarse levels next to nothing: every
// level that is not the last has a tenth of what its box had left.
TEST(Multigrid, CoarseLevelsOfManyTripsKeepATenth) {
  const Ticks epsilon = kTicksPerEpsilon;
  const Release release = publish_multigrid(300'000, epsilon);
  const Table& table = release.tables[0];
  const std::vector<bool> leaf = table.leaves();
  std::vector<Ticks> left(table.rows());
  std::size_t inner = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::int32_t parent = table.parent[row];
    const Ticks before = parent < 0 ? epsilon : left[static_cast<std::size_t>(parent)];
    left[row] = before - table.row_ticks[row];
    if (leaf[row] || parent < 0) continue;
    ++inner;
    EXPECT_GE(table.row_ticks[row], before / 10) << row;
  }
  EXPECT_GT(inner, 100u);
}

// A crowd in one corner of the map, and three times as many trips in a far cell as could at best be found there
// (ln(cells/2)/epsilon: 26). In most releases they stand in a box of twenty cells a side or less. Divided only as
// finely as so few trips call for, their box is left four times as large and more.
TEST(Multigrid, FindsAFewTripsFarFromTheCrowd) {
  std::mt19937_64 random(3);
  std::binomial_distribution<std::uint32_t> place(240, 0.5);
  MatrixBuilder builder(*Domain::of_shape({1000, 1000}));
  for (int i = 0; i < 200'000; ++i) builder.add(std::vector<std::uint32_t>{place(random), place(random)}, 1);
  builder.add(std::vector<std::uint32_t>{871, 646}, 78);
  const Matrix matrix = std::move(builder).build();
  int found = 0;
  for (int key = 0; key < 20; ++key) {
    StreamDice dice(test_key("needle " + std::to_string(key)));
    Kernel kernel(matrix, dice, kTicksPerEpsilon / 2, 1);
    const Mechanism& mechanism = *find_mechanism("multigrid");
    const Release release = run_mechanism(mechanism, *read_params(mechanism, {}), kernel, Unit::trip);
    const Table& table = release.tables[0];
    const std::vector<bool> leaf = table.leaves();
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const Box box = table.box(row);
      if (leaf[row] && box[0].lo <= 871 && 871 < box[0].hi && box[1].lo <= 646 && 646 < box[1].hi)
        found += table.estimate[row] > 39 && box[0].width() <= 21 && box[1].width() <= 21;
    }
  }
  EXPECT_GE(found, 10);
}

}  // namespace
}  // namespace stopover
