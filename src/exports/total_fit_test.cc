#include "exports/total_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "exports/controlled_rounding.h"

namespace stopover {
namespace {

const std::array<std::string, 2> kWords = {"origins", "destinations"};

// Zones in districts of four.
ZoneSet in_districts(std::size_t zones) {
  std::vector<ZoneRecord> records;
  for (std::size_t i = 0; i < zones; ++i) {
    ZoneRecord record;
    record.id = "z" + std::to_string(i);
    record.groups = {"d" + std::to_string(i / 4)};
    records.push_back(record);
  }
  return *ZoneSet::make(records, {"district"}, ZoneForm::names);
}

double row_sum(const std::vector<double>& values, std::size_t n, Interval rows) {
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(rows.lo * n),
                         values.begin() + static_cast<std::ptrdiff_t>(rows.hi * n), 0.0);
}

double column_sum(const std::vector<double>& values, std::size_t n, Interval columns) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += i % n >= columns.lo && i % n < columns.hi ? values[i] : 0;
  return sum;
}

TEST(TotalFit, MeetsTotalsOfZonesAndGroupsAndStaysWholeAfterRounding) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> even(0, 1);
  for (int round = 0; round < 100; ++round) {
    const std::size_t n = 4 + random() % 20;
    const ZoneSet zones = in_districts(n);
    const SumTree tree = SumTree::make(zones.ids(), &zones);
    std::vector<double> values(n * n), truth(n * n);
    for (std::size_t i = 0; i < values.size(); ++i) {
      truth[i] = static_cast<double>(random() % 30);
      values[i] = random() % 3 == 0 ? 0 : truth[i] * even(random) + even(random);
    }
    // Totals of a table that could be the truth, for some zones and groups.
    SideTotals sides[2] = {SideTotals::none(tree), SideTotals::none(tree)};
    for (std::size_t node = 0; node < tree.size(); ++node) {
      if (random() % 2 == 0) sides[0].total[node] = row_sum(truth, n, tree[node].zones);
      if (random() % 2 == 0) sides[1].total[node] = column_sum(truth, n, tree[node].zones);
    }
    const std::vector<double> before = values;
    const Result<TotalFit> fit = fit_totals(values, sides[0], sides[1], kWords);
    ASSERT_TRUE(fit) << fit.error().message;
    const std::vector<std::int64_t> whole = round_table(values, sides[0], sides[1]);
    const std::vector<double> rounded(whole.begin(), whole.end());
    for (std::size_t node = 0; node < tree.size(); ++node) {
      const Interval z = tree[node].zones;
      if (sides[0].total[node]) {
        EXPECT_NEAR(row_sum(values, n, z), *sides[0].total[node], 1e-6);
        EXPECT_EQ(row_sum(rounded, n, z), *sides[0].total[node]);
      }
      if (sides[1].total[node]) {
        EXPECT_NEAR(column_sum(values, n, z), *sides[1].total[node], 1e-6);
        EXPECT_EQ(column_sum(rounded, n, z), *sides[1].total[node]);
      }
    }
    if (fit->blended > 0 || !fit->filled[0].empty() || !fit->filled[1].empty()) continue;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double expected = before[i] * fit->row_factor[i / n] * fit->column_factor[i % n];
      EXPECT_NEAR(values[i], expected, 1e-9 * (1 + expected));
    }
  }
}

TEST(TotalFit, WithoutTotalsNothingMoves) {
  const SumTree tree = SumTree::make({"a", "b"}, nullptr);
  std::vector<double> values = {1, 2, 3, 4.5};
  const Result<TotalFit> fit = fit_totals(values, SideTotals::none(tree), SideTotals::none(tree), kWords);
  ASSERT_TRUE(fit);
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 4.5}));
}

TEST(TotalFit, FillsZonesThatHaveNothing) {
  const SumTree tree = SumTree::make({"a", "b"}, nullptr);
  std::vector<double> values = {30, 10, 0, 0};
  SideTotals rows = SideTotals::none(tree);
  rows.total = {std::nullopt, 8.0, std::nullopt};
  const Result<TotalFit> fit = fit_totals(values, rows, SideTotals::none(tree), kWords);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->filled[0], std::vector<std::size_t>{1});
  EXPECT_EQ(values, (std::vector<double>{30, 10, 6, 2}));  // as all trips are shared out
}

TEST(TotalFit, AddsALittleWhereZerosStandInTheWay) {
  const SumTree tree = SumTree::make({"a", "b"}, nullptr);
  std::vector<double> values = {10, 0, 0, 10};
  SideTotals rows = SideTotals::none(tree), columns = SideTotals::none(tree);
  rows.total = {12.0, 8.0, std::nullopt};
  columns.total = {10.0, 10.0, std::nullopt};
  const Result<TotalFit> fit = fit_totals(values, rows, columns, kWords);
  ASSERT_TRUE(fit);
  EXPECT_GT(fit->blended, 0);
  EXPECT_LT(fit->blended, 0.001);
  EXPECT_NEAR(values[0] + values[1], 12, 1e-8);
  EXPECT_NEAR(values[0] + values[2], 10, 1e-8);
  EXPECT_NEAR(values[2], 0, 0.01);  // no more than needed
}

TEST(TotalFit, RefusesWhatContradictsItself) {
  const ZoneSet zones = in_districts(5);
  const SumTree tree = SumTree::make(zones.ids(), &zones);
  const auto error = [&](std::vector<std::pair<std::string, double>> origins,
                         std::vector<std::pair<std::string, double>> destinations) {
    SideTotals rows = SideTotals::none(tree), columns = SideTotals::none(tree);
    for (const auto& [name, total] : origins) rows.total[*tree.find(name)] = total;
    for (const auto& [name, total] : destinations) columns.total[*tree.find(name)] = total;
    std::vector<double> values(25, 1.0);
    const Result<TotalFit> fit = fit_totals(values, rows, columns, kWords);
    return fit ? "" : fit.error().message;
  };
  EXPECT_EQ(error({{"*", 10}}, {{"d0", 10}, {"d1", 0}}), "");
  EXPECT_NE(error({{"*", 10}}, {{"d0", 10}, {"d1", 1}}).find("origins add up to 10, destinations to 11"),
            std::string::npos);
  EXPECT_NE(error({{"*", 10}}, {{"d0", 11}}).find("destinations add up to 11, more than all origins, 10"),
            std::string::npos);
  EXPECT_NE(error({{"d1", 7}, {"z4", 6}}, {}).find("origins of group \"d1\" are 7, but what is in it adds up to 6"),
            std::string::npos);
  EXPECT_NE(error({{"d0", 7}, {"z1", 8}}, {}).find("group \"d0\""), std::string::npos);
  EXPECT_EQ(error({{"d0", 7}, {"z1", 6}}, {}), "");
  std::vector<double> nothing(25, 0.0);
  SideTotals rows = SideTotals::none(tree);
  rows.total[0] = 3;
  EXPECT_FALSE(fit_totals(nothing, rows, SideTotals::none(tree), kWords));
}

}  // namespace
}  // namespace stopover
