#include "release/release.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <tuple>

#include "release/sample_release.h"

namespace stopover {
namespace {

TEST(Names, GoBothWays) {
  for (TableKind kind : {TableKind::partition, TableKind::cells}) {
    EXPECT_EQ(*parse_table_kind(to_string(kind)), kind);
  }
  for (Unit unit : {Unit::trip, Unit::user}) EXPECT_EQ(*parse_unit(to_string(unit)), unit);
  for (AnswerModel model : {AnswerModel::uniform, AnswerModel::maps})
    EXPECT_EQ(*parse_answer_model(to_string(model)), model);
  EXPECT_EQ(parse_unit("person").error().message, "the unit is trip or user, not \"person\"");
  EXPECT_EQ(parse_table_kind("tree").error().message, "a table's kind is partition or cells, not \"tree\"");
}

TEST(Table, KnowsItsLeavesAndDepths) {
  const Release release = sample::city();
  const Table& t = release.tables[0];
  EXPECT_EQ(t.leaves(), (std::vector<bool>{false, false, false, true, false, true, true, true}));
  EXPECT_EQ(t.depth, (std::vector<std::uint16_t>{0, 1, 1, 2, 2, 2, 3, 3}));
  EXPECT_EQ(t.box(5), sample::box({{5, 16}, {3, 8}, {0, 16}, {0, 8}, {0, 3}}));
}

void expect_broken(Release release, const std::function<void(Release&)>& change, const std::string& part) {
  change(release);
  const Status status = check_release(release);
  ASSERT_FALSE(status) << "not noticed: " << part;
  EXPECT_EQ(status.error().failure, Failure::check_failed);
  EXPECT_NE(status.error().message.find(part), std::string::npos) << status.error().message;
}

TEST(CheckRelease, SamplesAreFine) {
  for (const Release& release :
       {sample::paper(0, 0, 0), sample::paper(-9, 3, 7), sample::city(), sample::maps(), sample::grid(20)}) {
    const Status status = check_release(release);
    EXPECT_TRUE(status) << status.error().message;
  }
}

TEST(CheckRelease, SeesEveryBrokenRule) {
  const Release good = sample::city();
  using R = Release&;
  const auto check = [&](const std::function<void(R)>& change, const char* part) { expect_broken(good, change, part); };
  // the head
  check([](R r) { r.format = 0; }, "its format is 0");
  check([](R r) { r.format = 3; }, "its format is 3");
  check([](R r) { r.params = {{"test_key", "a"}}; }, "its randomness, system, do not agree");
  check([](R r) { r.params = {{"test_key", "a"}}, r.randomness = Randomness::repeatable("a"); }, "do not agree");
  check([](R r) { r.format = 1, r.params = {{"test_key", "a"}}; }, "do not agree");
  check([](R r) { r.format = 1, r.params.clear(), r.randomness = Randomness::repeatable("a"); }, "do not agree");
  check([](R r) { r.domain = Domain(); }, "no axes");
  check([](R r) { r.epsilon = 0; }, "epsilon is out of range");
  check([](R r) { r.epsilon = kMaxTicks + 1; }, "epsilon is out of range");
  check([](R r) { r.k = 0; }, "k must be");
  check([](R r) { r.mechanism = "../x"; }, "not a name of a mechanism");
  check([](R r) { std::swap(r.params[0], r.params[1]); }, "out of order");
  check([](R r) { r.params.push_back(r.params[1]); }, "stands twice");
  check([](R r) { r.date = "2024-2-9"; }, "not a date");
  check([](R r) { r.date = "2024-13-01"; }, "not a date");
  check([](R r) { r.tables.clear(); }, "no table");
  // columns
  check([](R r) { r.tables[0].name = "a/b"; }, "not a name of a table");
  check([](R r) { r.tables[1].name = "joint"; }, "two of that name");
  check([](R r) { r.tables[0].axes[4] = 5; }, "no axis 5");
  check([](R r) { std::swap(r.tables[0].axes[0], r.tables[0].axes[1]); }, "do not ascend");
  check([](R r) { r.tables[0].count.pop_back(); }, "differ in length");
  check([](R r) { r.tables[0].lo[2].pop_back(); }, "differ in length");
  check([](R r) { r.tables[0].hi.pop_back(); }, "differ in length");
  check([](R r) { r.tables[1] = sample::table("stop1", {0, 1}, 1); }, "no rows");
  // rows
  check([](R r) { r.tables[0].parent[3] = 3; }, "does not come before");
  check([](R r) { r.tables[0].parent[3] = -2; }, "does not come before");
  check([](R r) { r.tables[0].parent[3] = 7; }, "does not come before");
  check([](R r) { r.tables[0].lo[0][3] = 5; }, "row 3: its box is empty");
  check([](R r) { r.tables[0].hi[0][3] = 6; }, "row 3: its box leaves its parent's");
  check([](R r) { r.tables[0].hi[0][0] = 17; }, "row 0: its box leaves the domain");
  check([](R r) { r.tables[0].depth[3] = 3; }, "row 3: depth 3");
  check([](R r) { r.tables[0].count[4] = 1; }, "row 4: a count was given but not paid for");
  check([](R r) { r.tables[0].estimate[4] = -1; }, "row 4: its estimate is negative");
  check([](R r) { r.tables[0].estimate[4] = std::nan(""); }, "row 4: its estimate");
  check([](R r) { r.tables[0].estimate[4] = INFINITY; }, "row 4: its estimate");
  check([](R r) { r.tables[0].estimate[6] += 1e-2; }, "row 4: its estimate is not the sum");
  check([](R r) { r.tables[0].ticks -= 1; }, "spends more than the table's 0.699999999");
  check([](R r) { r.tables[0].row_ticks[3] += 1; }, "row 3: the path down to it spends more");
  check([](R r) { r.tables[0].side_ticks[7] = UINT64_MAX; }, "row 7: the path down to it spends more");
  // tiling
  check([](R r) { r.tables[0].hi[0][1] = 4, r.tables[0].hi[0][3] = 4; }, "the children of row 0 hold");
  check([](R r) { r.tables[0].lo[1][5] = 2; }, "the children of row 2 hold");
  check([](R r) { r.tables[0].lo[2][6] = 8, r.tables[0].hi[2][6] = 16; },
        "the children of row 4 overlap or leave a gap");
  check([](R r) { r.tables[1].hi[0][0] = 15; }, "table stop1: its roots hold 124 cells");
  // budget and receipt
  check([](R r) { r.tables[1].ticks += 1; }, "sum to more than epsilon");
  check([](R r) { r.spent += 1; }, "it spent");
  check([](R r) { r.spent -= 1; }, "it says it spent");
  check([](R r) { r.charges[0].times += 1; }, "what was spent besides counts at depth 0 differs");
  check([](R r) { r.charges[1].times += 1; }, "counts of 0.007 at depth 0 differ");
  check([](R r) { r.charges.erase(r.charges.begin() + 2); }, "between the rows and the receipt");
  check([](R r) { r.charges[2].ticks += 1; }, "between the rows and the receipt");
  check([](R r) { std::swap(r.charges[0], r.charges[1]); }, "out of order");
  check([](R r) { r.charges.push_back(r.charges[0]); }, "out of order");
  check([](R r) { r.charges[0].times = UINT64_MAX, r.charges[0].ticks = UINT64_MAX; }, "more than there is");
  check([](R r) { r.charges[0].times = 0; }, "charges nothing");
  check([](R r) { r.charges.push_back({"setup", 0, "count", 10, 1}); }, "take more than epsilon");
  // answers
  check([](R r) { r.tables.erase(r.tables.begin()), r.charges.erase(r.charges.begin(), r.charges.end() - 1); },
        "must cover all axes");
  check([](R r) { r.answer_model = AnswerModel::maps; }, "an axis has no map");
}

TEST(CheckRelease, MapsBoughtTogetherShareAReceipt) {
  const Release good = sample::maps();
  using R = Release&;
  const auto check = [&](const std::function<void(R)>& change, const char* part) { expect_broken(good, change, part); };
  check([](R r) { r.charges[2].times -= 1; }, "more counts of 0.11 in the rows of stops than in the receipt");
  check([](R r) { r.charges[2].times += 1; }, "table stop1: what was spent on all stops together differs");
  check([](R r) { r.charges[1].ticks -= 1; }, "table stop1: what was spent on all stops together differs");
  check([](R r) { r.tables[2].side_ticks[0] -= 1; }, "table stop2: what was spent on all stops together differs");
  check([](R r) { r.tables[1].view = r.tables[2].view = "joint"; }, "its view has the name of a table");
  check([](R r) { r.tables[2].view = ""; }, "differ");
  check([](R r) { r.tables[1].axes = {1}; }, "another map has one of its axes");
  check(
      [](R r) {
        r.tables[1] = sample::table("stop1", {0}, 1);
        r.tables[1].kind = TableKind::cells;
        r.tables[1].append(sample::box({{0, 8}}), -1, 0, 0, 0);
      },
      "a map is a partition");

  // A count of all stops together is one line of the receipt and stands beside the rows of every map.
  Release together = good;
  Charge& choice = together.charges[1];
  choice.purpose = "count";
  std::sort(together.charges.begin() + 1, together.charges.end(), [](const Charge& a, const Charge& b) {
    return std::tie(a.depth, a.purpose, a.ticks) < std::tie(b.depth, b.purpose, b.ticks);
  });
  EXPECT_TRUE(check_release(together)) << check_release(together).error().message;
}

TEST(CheckRelease, StagesThatLeftNoTableCount) {
  Release release = sample::city();
  release.epsilon += 10;
  release.charges.push_back({"setup", 0, "count", 10, 1});
  EXPECT_FALSE(check_release(release));
  release.spent += 10;
  EXPECT_TRUE(check_release(release)) << check_release(release).error().message;
  // One charge of one time is paid by everybody: no less and no more.
  using R = Release&;
  expect_broken(release, [](R r) { r.epsilon += 1, r.spent += 1; }, "it says it spent");
  expect_broken(release, [](R r) { r.charges.back().ticks -= 1; }, "it says it spent");
  // What tables and stages may take is within epsilon, whatever was spent of it.
  expect_broken(release, [](R r) { r.epsilon -= 1; }, "take more than epsilon");
  // Of a stage with several charges, only that it is at least the largest.
  release.charges.back().times = 2;
  release.epsilon += 1;
  release.spent += 1;
  EXPECT_TRUE(check_release(release)) << check_release(release).error().message;
}

Release cells() {
  Release release = sample::over(*Domain::of_shape({100, 100}), 10);
  Table t = sample::table("joint", {0, 1}, 10);
  t.kind = TableKind::cells;
  for (std::uint32_t i = 0; i < 5; ++i) t.append(sample::box({{2 * i, 2 * i + 1}, {7, 10}}), -1, 50, 10, 0);
  t.append(sample::box({{8, 9}, {10, 11}}), -1, 50, 10, 0);
  release.tables.push_back(t);
  sample::settle(release);
  return release;
}

TEST(CheckRelease, CellsAreDisjointAndInOrder) {
  const Release good = cells();
  EXPECT_TRUE(check_release(good)) << check_release(good).error().message;
  expect_broken(good, [](Release& r) { r.tables[0].lo[0][3] = 4, r.tables[0].hi[0][3] = 5; }, "row 3: it stands twice");
  expect_broken(
      good,
      [](Release& r) {
        std::swap(r.tables[0].lo[1][4], r.tables[0].lo[1][5]);
        std::swap(r.tables[0].hi[1][4], r.tables[0].hi[1][5]);
      },
      "row 5: it stands twice or out of order");
  expect_broken(good, [](Release& r) { r.tables[0].hi[0][1] = 5; }, "not cells of one lattice");
  expect_broken(good, [](Release& r) { r.tables[0].parent[1] = 0; }, "has no parent");
}

TEST(CheckRelease, AMillionRowsInAMoment) {
  Release release = sample::grid(1000);
  const std::clock_t start = std::clock();
  const Status status = check_release(release);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  RecordProperty("milliseconds", static_cast<int>(seconds * 1000));
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_LT(seconds, 10);
  std::swap(release.tables[0].lo[0][500'000], release.tables[0].lo[0][3]);
  EXPECT_FALSE(check_release(release));
}

}  // namespace
}  // namespace stopover
