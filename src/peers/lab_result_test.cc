#include "peers/lab_result.h"

#include <gtest/gtest.h>

#include <functional>

#include "peers/lab_run.h"
#include "release/sample_release.h"

namespace stopover {
namespace {

// Two grids of four strips over 4 x 4 cells, 1 tick for the root and 4 for the strips in each.
LabResult stack() {
  LabResult made;
  made.release = sample::over(*Domain::of_shape({4, 4}), 10);
  for (int g = 0; g < 2; ++g) {
    Table t = sample::table("joint", {0, 1}, 5);
    t.append(sample::box({{0, 4}, {0, 4}}), -1, 9, 1, 0);
    for (std::uint32_t i = 0; i < 4; ++i) {
      t.append(g == 0 ? sample::box({{i, i + 1}, {0, 4}}) : sample::box({{0, 4}, {i, i + 1}}), 0, 3, 4, 0);
    }
    make_consistent(t, 1e-9);
    made.grids.push_back(std::move(t));
  }
  made.release.charges = {{"joint", 0, "count", 1, 2}, {"joint", 1, "count", 4, 8}};
  made.release.spent = 10;
  return made;
}

void expect_broken(const std::function<void(LabResult&)>& change, const std::string& part) {
  LabResult bad = stack();
  change(bad);
  const Status status = check_lab_result(bad);
  ASSERT_FALSE(status) << part;
  EXPECT_NE(status.error().message.find(part), std::string::npos) << status.error().message;
}

TEST(LabResult, AStackPaysForEveryGrid) {
  EXPECT_TRUE(check_lab_result(stack())) << check_lab_result(stack()).error().message;
  EXPECT_EQ(stack().grid(1).spent, 5u);
  EXPECT_TRUE(check_release(stack().grid(0)));
  expect_broken([](LabResult& r) { r.release.spent = 5; }, "the grids together spend 10 ticks, the receipt says 5");
  expect_broken([](LabResult& r) { r.release.epsilon = 9; }, "the grids together spend 10 ticks");
  expect_broken([](LabResult& r) { r.release.charges[1].times = 4; }, "the receipt does not say");
  expect_broken([](LabResult& r) { r.grids[1].ticks = 4; },
                "grid 1: table joint: row 1: the path down to it spends more");
}

TEST(LabResult, EveryGridIsAPartitionOfTheWhole) {
  expect_broken([](LabResult& r) { r.grids[1].hi[1][4] = 3; }, "grid 1: ");
  expect_broken(
      [](LabResult& r) {
        r.grids[0] = sample::table("joint", {0, 1}, 5);
        for (std::uint32_t i = 0; i < 2; ++i) r.grids[0].append(sample::box({{2 * i, 2 * i + 2}, {0, 4}}), -1, 1, 5, 0);
      },
      "grid 0: its root is not the whole domain");
  expect_broken([](LabResult& r) { r.release.tables = {r.grids[0]}; }, "no table besides");
}

TEST(LabResult, DifferencesHaveNoEstimates) {
  expect_broken([](LabResult& r) { r.differences = true; }, "grid 0: differences have no estimates");
  LabResult made = stack();
  made.differences = true;
  for (Table& grid : made.grids) grid.estimate.assign(grid.rows(), 0);
  EXPECT_TRUE(check_lab_result(made));
}

TEST(LabResult, PlainCountsAreOfOneGridWithoutEstimates) {
  expect_broken([](LabResult& r) { r.kept_from = 0; }, "grid 1: plain counts are of one grid");
  const auto alone = [](LabResult& r) {
    r.release.charges = {{"joint", 0, "count", 1, 1}, {"joint", 1, "count", 4, 4}};
    r.release.spent = 5;
    r.grids.pop_back();
    r.kept_from = 3;
  };
  expect_broken(alone, "grid 0: plain counts have no estimates");
  LabResult made = stack();
  alone(made);
  made.grids[0].estimate.assign(5, 0);
  EXPECT_TRUE(check_lab_result(made));
  EXPECT_EQ(made.kept(1), 3);
  made.kept_from = 3.1;
  EXPECT_EQ(made.kept(1), 0);
}

// A release stays what it is, and a stack is none.
TEST(LabResult, HoldsAReleaseOrAStack) {
  const LabResult release = sample::city();
  EXPECT_TRUE(check_lab_result(release));
  EXPECT_EQ(release.tables().size(), 2u);
  EXPECT_FALSE(check_release(stack().release));
  EXPECT_EQ(stack().tables().size(), 2u);
}

TEST(LabRun, RowsThatDoNotPublishRunHereAlone) {
  const Domain domain = *Domain::of_shape({8, 8});
  std::size_t apart = 0;
  for (const Mechanism& mechanism : mechanisms()) {
    if (mechanism.publishes()) continue;
    ++apart;
    const Params params = *read_params(mechanism, {});
    EXPECT_TRUE(check_in_lab(mechanism, params, domain)) << mechanism.name;
    const Status refused = check_mechanism(mechanism, params, domain);
    ASSERT_FALSE(refused) << mechanism.name;
    EXPECT_EQ(refused.error().message.find(std::string(mechanism.name) + " is for stopover evaluate alone"), 0u);
  }
  EXPECT_EQ(apart, 4u);
}

}  // namespace
}  // namespace stopover
