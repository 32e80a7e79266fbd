#include "synthetic/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "synthetic/city.h"
#include "synthetic/number_sequence.h"

namespace stopover {
namespace {

// FNV-1a over all columns: one changed cell anywhere changes it.
std::uint64_t fingerprint(const SyntheticTrips& trips) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const auto& column : trips.cells) {
    for (std::uint32_t cell : column) hash = (hash ^ cell) * 0x100000001b3u;
  }
  return hash;
}

TEST(NumberSequence, ExpAndLogAreGood) {
  for (double x = -690; x < 690; x += 0.37) EXPECT_NEAR(plain_exp(x) / std::exp(x), 1, 4e-15) << x;
  for (double x = 1e-12; x < 1e12; x *= 1.37)
    EXPECT_NEAR(plain_log(x), std::log(x), 1e-15 * (1 + std::abs(std::log(x)))) << x;
}

TEST(NumberSequence, NormalHasItsMoments) {
  NumberSequence numbers(1);
  double sum = 0, square = 0, fourth = 0;
  const int n = 400'000;
  for (int i = 0; i < n; ++i) {
    const double z = numbers.normal();
    sum += z;
    square += z * z;
    fourth += z * z * z * z;
  }
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(square / n, 1, 0.015);
  EXPECT_NEAR(fourth / n, 3, 0.1);
}

TEST(NumberSequence, BelowIsEvenAndBranchesDiffer) {
  NumberSequence numbers(1);
  std::vector<int> seen(7);
  for (int i = 0; i < 70'000; ++i) ++seen[numbers.below(7)];
  for (int count : seen) EXPECT_NEAR(count, 10'000, 600);
  EXPECT_NE(NumberSequence(1, 0).next(), NumberSequence(1, 1).next());
  EXPECT_NE(NumberSequence(0, 1).next(), NumberSequence(1, 0).next());
}

TEST(DiscreteLaw, DrawsByWeightAndNeverAZero) {
  const std::vector<double> weights = {0, 1, 0, 3, 0, 0, 4, 0};
  const DiscreteLaw law(weights);
  NumberSequence numbers(5);
  std::vector<int> seen(weights.size());
  for (int i = 0; i < 80'000; ++i) ++seen[law.draw(numbers)];
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0)
      EXPECT_EQ(seen[i], 0);
    else
      EXPECT_NEAR(seen[i], 10'000 * weights[i], 1000);
  }
}

TEST(Generate, TheSameRowsOnEveryMachine) {
  EXPECT_EQ(fingerprint(*generate_gaussian(3, 1000, 100, 7.5, 7)), 7728852821820167062u);
  EXPECT_EQ(fingerprint(*generate_zipf(2, 1000, 1000, 1.5, 7)), 9163278152841008996u);
  EXPECT_EQ(fingerprint(*generate_city(3, 1000, 1000, 7)), 15303237930097619558u);
  EXPECT_NE(fingerprint(*generate_city(3, 1000, 1000, 8)), fingerprint(*generate_city(3, 1000, 1000, 7)));
}

TEST(Generate, GaussianLiesAroundItsCentre) {
  const SyntheticTrips g = *generate_gaussian(2, 200'000, 1000, 20, 2);
  NumberSequence centres(2);
  for (const auto& column : g.cells) {
    const auto centre = static_cast<double>(centres.below(1000));
    ASSERT_GT(centre, 100);  // this seed's centres are far from the border
    ASSERT_LT(centre, 900);
    double sum = 0, square = 0;
    for (std::uint32_t cell : column) sum += cell - centre, square += (cell - centre) * (cell - centre);
    EXPECT_NEAR(sum / 200'000, 0, 0.3);
    EXPECT_NEAR(std::sqrt(square / 200'000), 20, 0.3);
  }
}

TEST(Generate, GaussianDrawsAgainWhatFallsOutside) {
  for (double sd : {0.01, 3.0, 1e6}) {
    const SyntheticTrips g = *generate_gaussian(12, 5000, 5, sd, 11);
    for (const auto& column : g.cells) {
      ASSERT_EQ(column.size(), 5000u);
      EXPECT_LT(*std::max_element(column.begin(), column.end()), 5u);
    }
  }
  const SyntheticTrips flat = *generate_gaussian(1, 50'000, 5, 1e6, 1);
  for (std::uint32_t cell = 0; cell < 5; ++cell) {
    EXPECT_NEAR(static_cast<double>(std::count(flat.cells[0].begin(), flat.cells[0].end(), cell)), 10'000, 600);
  }
}

TEST(Generate, ZipfFallsByItsPower) {
  const SyntheticTrips z = *generate_zipf(1, 300'000, 1000, 2, 9);
  const auto count = [&](std::uint32_t cell) {
    return static_cast<double>(std::count(z.cells[0].begin(), z.cells[0].end(), cell));
  };
  EXPECT_NEAR(count(1) / count(0), 1.0 / 4, 0.01);
  EXPECT_NEAR(count(2) / count(0), 1.0 / 9, 0.01);
  EXPECT_NEAR(count(9) / count(0), 1.0 / 100, 0.002);
}

TEST(Generate, CityHasACentreAndDistanceDecay) {
  const SyntheticTrips c = *generate_city(2, 100'000, 1000, 7);
  const Matrix matrix = to_matrix(c);
  EXPECT_EQ(matrix.total(), 100'000u);
  const City city(7);
  double to_own = 0, to_other = 0;
  const auto gap = [&](std::size_t row_a, std::size_t row_b) {
    const double x = static_cast<double>(c.cells[0][row_a]) - c.cells[2][row_b];
    const double y = static_cast<double>(c.cells[1][row_a]) - c.cells[3][row_b];
    return std::sqrt(x * x + y * y);
  };
  for (std::size_t row = 0; row + 1 < c.rows(); ++row) {
    to_own += gap(row, row);
    to_other += gap(row, row + 1);
  }
  EXPECT_LT(to_own, 0.8 * to_other);
  std::size_t near = 0;
  const MapPoint middle = city.quarters()[0].centre;
  for (std::size_t row = 0; row < c.rows(); ++row) {
    near += std::abs(c.cells[2][row] - 1000 * middle.east) < 50 && std::abs(c.cells[3][row] - 1000 * middle.north) < 50;
  }
  EXPECT_GT(near, 20'000u);  // a hundredth of the map
  EXPECT_LT(near, 80'000u);
}

TEST(Generate, CityNamesItsStops) {
  const Domain three = generate_city(3, 10, 100, 1)->domain;
  EXPECT_EQ(three.shape_text(), "100x100x100x100x100x100");
  ASSERT_EQ(three.stops().size(), 3u);
  EXPECT_EQ(three.stops()[0].name, "origin");
  EXPECT_EQ(three.stops()[1].name, "stop");
  EXPECT_EQ(three.stops()[2].name, "destination");
  EXPECT_EQ(three.stops()[2].axes, (std::vector<std::size_t>{4, 5}));
  EXPECT_EQ(generate_city(1, 10, 100, 1)->domain.stops().size(), 1u);
  EXPECT_EQ(generate_city(6, 10, 100, 1)->domain.stops()[4].name, "stop4");
}

TEST(Generate, RefusesBadSizes) {
  EXPECT_EQ(generate_gaussian(0, 1, 1, 1, 1).error().message, "`dims` must be 1 to 12, not 0");
  EXPECT_EQ(generate_gaussian(2, 1, 0, 1, 1).error().message, "`width` must be 1 to 1048576 cells, not 0");
  EXPECT_EQ(generate_gaussian(2, 1, 4, -1, 1).error().message, "`sd` must be 0.01 to 1000000 cells, not -1");
  EXPECT_EQ(generate_gaussian(2, 1, 4, NAN, 1).error().message, "`sd` must be 0.01 to 1000000 cells, not nan");
  EXPECT_EQ(generate_zipf(2, 1, 4, 51, 1).error().message, "`a` must be 0 to 50, not 51");
  EXPECT_EQ(generate_city(7, 1, 100, 1).error().message, "`stops` must be 1 to 6, not 7");
  EXPECT_FALSE(generate_gaussian(12, 1, 1 << 20, 1, 1));  // a key of 240 bits
  EXPECT_EQ(generate_zipf(2, 0, 4, 1, 1)->rows(), 0u);
}

}  // namespace
}  // namespace stopover
