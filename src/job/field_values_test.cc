#include "job/field_values.h"

#include <gtest/gtest.h>

#include "job/plan_job.h"
#include "job/publish_spec.h"

namespace stopover {
namespace {

// What a face gives is the same to the job: a text, a number, a list.
TEST(FieldValues, TextsAndNumbersMeanTheSame) {
  const FieldValues texts = {{"n", "5000"},           {"epsilon", "0.1,0.3"},  {"grid", "64x32"},
                             {"bbox", "20,10,21,11"}, {"query_side", "1,2.5"}, {"seed", "18446744073709551615"}};
  const FieldValues typed = {{"n", std::int64_t{5000}},
                             {"epsilon", std::vector{0.1, 0.3}},
                             {"grid", std::vector{64.0, 32.0}},
                             {"bbox", std::vector{20.0, 10.0, 21.0, 11.0}},
                             {"query_side", std::vector{1.0, 2.5}},
                             {"seed", "18446744073709551615"}};
  for (const FieldValues& values : {texts, typed}) {
    const Result<PlanSpec> spec = read_plan(values);
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_EQ(spec->n, 5000u);
    EXPECT_EQ(spec->epsilons, (std::vector<Ticks>{kTicksPerEpsilon / 10, 3 * kTicksPerEpsilon / 10}));
    EXPECT_EQ(spec->grid, std::pair(64u, 32u));
    ASSERT_TRUE(spec->box);
    EXPECT_EQ(spec->box->west, 20);
    EXPECT_EQ(spec->query_sides, (std::vector{1.0, 2.5}));
    EXPECT_EQ(spec->seed, UINT64_MAX);
  }
}

TEST(FieldValues, WhatIsNotGivenStaysAsItIs) {
  const Result<PlanSpec> spec = read_plan({{"n", "10"}, {"unit", ""}, {"grid", ""}});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->grid, std::pair(1000u, 1000u));
  EXPECT_FALSE(spec->unit.unit);
  EXPECT_EQ(spec->epsilons.size(), 3u);
}

void expect_fault(const FieldValues& values, const std::string& begins) {
  const Result<PlanSpec> spec = read_plan(values);
  ASSERT_FALSE(spec) << begins;
  EXPECT_EQ(spec.error().failure, Failure::usage);
  EXPECT_EQ(spec.error().message.substr(0, begins.size()), begins);
}

TEST(FieldValues, FaultsNameTheField) {
  expect_fault({{"n", "many"}}, "`n` must be a whole number from 1 to ");
  expect_fault({{"n", 1.5}}, "`n` must be a whole number");
  expect_fault({{"n", std::int64_t{-1}}}, "`n` must be a whole number");
  expect_fault({{"n", true}}, "`n` must be a whole number");
  expect_fault({{"trips_per_person", "x"}}, "`trips_per_person` must be a number such as 1.5, not \"x\"");
  expect_fault({{"trips_per_person", std::vector<double>{1}}}, "`trips_per_person` must be a number");
  expect_fault({{"formulas", "yes"}}, "`formulas` must be true or false");
  expect_fault({{"epsilon", -1.0}}, "`epsilon` must be a number above 0");
  expect_fault({{"epsilon", std::vector<double>{0.1, 0.1 + 1e-12}}}, "`epsilon` must be given with at most 9 decimals");
  expect_fault({{"bbox", std::vector<double>{1, 2, 3}}}, "`bbox` must be west, south, east, north");
  expect_fault({{"bbox", std::vector<double>{1, 2, 1, 3}}}, "`bbox 1,2,1,3` is not a box on the globe");
}

TEST(FieldValues, TheFirstFaultCounts) { expect_fault({{"n", "x"}, {"zzz", "y"}, {"seed", "-"}}, "`n` must"); }

TEST(FieldValues, AnUnknownFieldIsTold) {
  expect_fault({{"n", "5"}, {"epsilonn", "1"}}, "`epsilonn` does not go with this\n  Did you mean epsilon");
}

TEST(PublishSpec, RowsOrCells) {
  const FieldValues common = {{"epsilon", "0.5"}, {"ledger", "l"}, {"output", "x.odr"}};
  const auto with = [&](FieldValues more) {
    more.insert(common.begin(), common.end());
    return more;
  };
  const Result<PublishSpec> rows =
      read_publish(with({{"input", "t.csv"}, {"points", std::vector<std::string>{"a,b", "c,d,e"}}}));
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(std::get<RowsSpec>(rows->data).columns.points[1].time, "e");
  EXPECT_EQ(rows->epsilon, kTicksPerEpsilon / 2);
  EXPECT_TRUE(read_publish(common, true)) << "rows in memory have no name";
  const Result<PublishSpec> cells = read_publish(with({{"matrix", "m.parquet"}, {"shape", std::vector<double>{4, 8}}}));
  ASSERT_TRUE(cells) << cells.error().message;
  EXPECT_EQ(std::get<MatrixSpec>(cells->data).domain.shape, (std::vector<std::uint64_t>{4, 8}));
  for (const FieldValues& bad :
       {with({}), with({{"input", "t.csv"}, {"matrix", "m"}}), with({{"input", "t.csv"}, {"shape", "4x4"}}),
        with({{"matrix", "m"}, {"lat", "y"}}), with({{"matrix", "m"}, {"grid", "4x4"}})}) {
    EXPECT_FALSE(read_publish(bad));
  }
  EXPECT_EQ(read_publish(with({{"matrix", "m"}, {"shape", "auto"}})).error().failure, Failure::privacy);
}

TEST(UnitSpec, UserHasABoundAndTripHasNone) {
  EXPECT_TRUE((UnitSpec{}.check("")));
  EXPECT_TRUE((UnitSpec{Unit::user, 4}.check("")));
  EXPECT_TRUE((UnitSpec{Unit::trip, {}}.check("")));
  EXPECT_FALSE((UnitSpec{Unit::user, {}}.check("")));
  EXPECT_FALSE((UnitSpec{Unit::trip, 4}.check("")));
  EXPECT_FALSE((UnitSpec{{}, 4}.check(""))) << "a bound without a unit was meant for people";
}

}  // namespace
}  // namespace stopover
