#include "query/edge_doubt.h"

#include <gtest/gtest.h>

#include "query/answerer.h"
#include "query/region_query.h"
#include "release/sample_release.h"

namespace stopover {
namespace {

// One stop of 4 x 4 cells, its own map: all trips in the cells of the lower left quarter.
Release quarter() {
  Release release;
  release.domain =
      *Domain::make({{"x", 4, AxisKind::number, 0, 4, {}}, {"y", 4, AxisKind::number, 0, 4, {}}}, {{"place", {0, 1}}});
  release.epsilon = kTicksPerEpsilon;
  release.answer_model = AnswerModel::maps;
  release.tables = {sample::table("joint", {0, 1}, kTicksPerEpsilon)};
  Table& table = release.tables[0];
  table.append(sample::box({{0, 4}, {0, 4}}), -1, 0, 0, 0);
  for (const auto& [x, y, n] : {std::tuple{0u, 0u, 400}, {0u, 2u, 0}, {2u, 0u, 0}, {2u, 2u, 0}}) {
    table.append(sample::box({{x, x + 2}, {y, y + 2}}), 0, n, kTicksPerEpsilon, 0);
  }
  sample::settle(release);
  return release;
}

TEST(EdgeDoubt, WholeCellsLeaveNothingOpen) {
  EXPECT_EQ(edge_doubt(Coverage::of_span({{0, 3}, {1, 2}}), nullptr), 0);
  const Result<BoxIndex> index = BoxIndex::make(quarter());
  ASSERT_TRUE(index);
  EXPECT_EQ(edge_doubt(*index, BoxQuery::of(sample::box({{0, 1}, {0, 3}}))), 0);
}

TEST(EdgeDoubt, HalfACellMayBeAllOrNothing) {
  // m^2 w (1 - w) over (m w)^2, w a half.
  EXPECT_DOUBLE_EQ(edge_doubt(Coverage::of_span({{0, 0.5}, {0, 1}}), nullptr), 1);
  // Ten whole cells beside it: it matters little.
  EXPECT_DOUBLE_EQ(edge_doubt(Coverage::of_span({{0, 10.5}, {0, 1}}), nullptr), 0.25 / (10.5 * 10.5));
}

TEST(EdgeDoubt, OfABoxIsThatOfItsRegion) {
  const Release release = quarter();
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  for (const PlaneSpan& span : {PlaneSpan{{0.25, 1.5}, {0, 1.75}}, PlaneSpan{{0.25, 0.5}, {0.5, 0.75}},
                                PlaneSpan{{0, 2}, {0.125, 1}}, PlaneSpan{{0.5, 3.5}, {0.5, 3.5}}}) {
    BoxQuery box = BoxQuery::whole(release.domain);
    box.lo[0] = span.x.lo;
    box.hi[0] = span.x.hi;
    box.lo[1] = span.y.lo;
    box.hi[1] = span.y.hi;
    EXPECT_NEAR(edge_doubt(*index, box), edge_doubt(Coverage::of_span(span), &index->maps()->map(0)), 1e-9);
    EXPECT_GT(edge_doubt(*index, box), 0);
  }
}

TEST(EdgeDoubt, GoesIntoTheAnswer) {
  const Release release = quarter();
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  BoxQuery half = BoxQuery::whole(release.domain);
  half.hi[0] = 0.5;
  half.hi[1] = 1;
  // 50 of a cell's 100 trips: all of them or none.
  const Answer a = answer(*index, half);
  EXPECT_NEAR(a.placement.edge, a.estimate * a.estimate, 1e-3 * a.estimate * a.estimate);
  EXPECT_EQ(answer(*index, BoxQuery::of(sample::box({{0, 1}, {0, 1}}))).placement.edge, 0);
}

}  // namespace
}  // namespace stopover
