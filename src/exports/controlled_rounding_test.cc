#include "exports/controlled_rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "exports/whole_partitions.h"
#include "testing/city_release.h"

namespace stopover {
namespace {

// Zones in districts of `district` and regions of two districts.
ZoneSet grouped_zones(std::size_t zones, std::size_t district) {
  std::vector<ZoneRecord> records;
  for (std::size_t i = 0; i < zones; ++i) {
    ZoneRecord record;
    record.id = "z" + std::to_string(i);
    record.groups = {"d" + std::to_string(i / district), "r" + std::to_string(i / district / 2)};
    records.push_back(record);
  }
  return *ZoneSet::make(records, {"district", "region"}, ZoneForm::names);
}

// Tables as releases make them: nothing, next to nothing, some, many.
std::vector<double> random_table(std::mt19937_64& random, std::size_t cells) {
  std::uniform_real_distribution<double> even(0, 1);
  const double kinds[] = {0, 0.02, 1, 40, 5000};
  const std::size_t most = 1 + random() % 5;
  std::vector<double> values(cells);
  for (double& value : values) value = even(random) * kinds[random() % most];
  // Whole ones among them; and tables of halves, which lie as near to one side as to the other.
  const bool halves = random() % 4 == 0;
  for (double& value : values) {
    if (random() % 16 == 0) value = std::floor(value);
    if (halves) value = std::floor(2 * value) / 2;
  }
  return values;
}

// Of the pairs between two ranges of zones.
template <typename T>
long double sum_over(const std::vector<T>& values, std::size_t width, Interval rows, Interval columns) {
  long double sum = 0;
  for (std::size_t i = rows.lo; i < rows.hi; ++i) {
    for (std::size_t j = columns.lo; j < columns.hi; ++j) sum += static_cast<long double>(values[i * width + j]);
  }
  return sum;
}

TEST(ControlledRounding, EveryCellAndSumIsOneOfTheWholeNumbersAroundIt) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 23, m = 1 + random() % 23;
    const ZoneSet from = grouped_zones(n, 1 + random() % 5), to = grouped_zones(m, 1 + random() % 5);
    const SumTree rows = SumTree::make(from.ids(), &from), columns = SumTree::make(to.ids(), &to);
    const std::vector<double> values = random_table(random, n * m);
    const std::vector<std::int64_t> whole = round_table(values, SideTotals::none(rows), SideTotals::none(columns));
    for (std::size_t pair = 0; pair < values.size(); ++pair) {
      EXPECT_GE(whole[pair], std::floor(values[pair]));
      EXPECT_LE(whole[pair], std::ceil(values[pair]));
    }
    const auto near = [&](Interval a, Interval b) {
      const long double exact = sum_over(values, m, a, b), got = sum_over(whole, m, a, b);
      EXPECT_LT(std::abs(exact - got), 1 + 1e-9L) << exact << " became " << got;
    };
    for (std::size_t node = 0; node < rows.size(); ++node) near(rows[node].zones, columns[columns.whole()].zones);
    for (std::size_t node = 0; node < columns.size(); ++node) near(rows[rows.whole()].zones, columns[node].zones);
  }
}

TEST(ControlledRounding, WholeTotalsAreMetToTheLastTrip) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 2 + random() % 12;
    const ZoneSet zones = grouped_zones(n, 3);
    const SumTree tree = SumTree::make(zones.ids(), &zones);
    // A table whose rows have whole sums but for the last digits of a double; thirds have no end in binary.
    std::vector<double> values(n * n);
    SideTotals rows = SideTotals::none(tree);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> row = random_table(random, n);
      row[i] += 1.0 / 3;
      double sum = 0;
      for (const double value : row) sum += value;
      rows.total[i] = std::ceil(sum);
      for (std::size_t j = 0; j < n; ++j) values[i * n + j] = row[j] * std::ceil(sum) / sum;
    }
    const std::vector<std::int64_t> whole = round_table(values, rows, SideTotals::none(tree));
    for (std::size_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::uint32_t>(i);
      EXPECT_EQ(sum_over(whole, n, {at, at + 1}, {0, static_cast<std::uint32_t>(n)}), *rows.total[i]);
    }
  }
}

// Rounding up by the size of the fraction is what cells alone would want; sums ask for little more.
TEST(ControlledRounding, LargeFractionsGoUp) {
  std::mt19937_64 random(3);
  const std::size_t n = 60;
  std::vector<std::string> names(n);
  for (std::size_t i = 0; i < n; ++i) names[i] = std::to_string(i);
  const SumTree tree = SumTree::make(names, nullptr);
  std::uniform_real_distribution<double> even(0, 1);
  std::vector<double> values(n * n);
  for (double& value : values) value = even(random);
  const std::vector<std::int64_t> whole = round_table(values, SideTotals::none(tree), SideTotals::none(tree));
  double squares = 0, least = 0;
  for (std::size_t pair = 0; pair < values.size(); ++pair) {
    squares += (values[pair] - static_cast<double>(whole[pair])) * (values[pair] - static_cast<double>(whole[pair]));
    least += std::min(values[pair], 1 - values[pair]) * std::min(values[pair], 1 - values[pair]);
  }
  // Each to its nearest: 1/12 a cell; by chance: 1/6.
  EXPECT_LT(squares, 1.25 * least);
}

TEST(ControlledRounding, NodesOfAReleaseAddUp) {
  const Release release = sample::city_release(2, 5000, 30, "privtree");
  const Table& table = release.tables[0];
  const std::vector<std::int64_t> whole = whole_partitions(table);
  const std::vector<bool> leaves = table.leaves();
  std::vector<double> exact(table.rows(), 0.0), sum(table.rows(), 0.0);
  std::size_t leaf = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!leaves[row]) continue;
    EXPECT_GE(whole[leaf], 0);
    const auto got = static_cast<double>(whole[leaf++]);
    for (std::int32_t node = static_cast<std::int32_t>(row); node >= 0;
         node = table.parent[static_cast<std::size_t>(node)]) {
      exact[static_cast<std::size_t>(node)] += table.estimate[row];
      sum[static_cast<std::size_t>(node)] += got;
    }
  }
  ASSERT_EQ(leaf, whole.size());
  for (std::size_t row = 0; row < table.rows(); ++row) EXPECT_LT(std::abs(exact[row] - sum[row]), 1 + 1e-6);
}

TEST(ControlledRounding, RunsOfAListAreNear) {
  std::mt19937_64 random(4);
  const std::vector<double> values = random_table(random, 500);
  const std::vector<std::int64_t> whole = round_list(values);
  for (int round = 0; round < 1000; ++round) {
    const auto a = static_cast<std::uint32_t>(random() % 500), b = static_cast<std::uint32_t>(random() % 501);
    const Interval run{std::min(a, b), std::max(a, b)};
    EXPECT_LT(std::abs(sum_over(values, 500, {0, 1}, run) - sum_over(whole, 500, {0, 1}, run)), 1 + 1e-9L);
  }
  EXPECT_TRUE(round_list({}).empty());
}

}  // namespace
}  // namespace stopover
