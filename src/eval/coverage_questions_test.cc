#include "eval/coverage_questions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mechanism/mechanism.h"
#include "privacy/stream_dice.h"
#include "query/answerer.h"
#include "synthetic/number_sequence.h"
#include "testing/square_zones.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

// Two clumps of trips, so that small questions hold many.
Matrix clumps(const Domain& domain, std::size_t trips) {
  NumberSequence numbers(11);
  MatrixBuilder builder(domain);
  for (std::size_t i = 0; i < trips; ++i) {
    std::vector<std::uint32_t> cell;
    for (const Axis& axis : domain.axes()) {
      const double at = (numbers.below(2) == 0 ? 0.3 : 0.7) + 0.08 * numbers.normal();
      cell.push_back(static_cast<std::uint32_t>(std::min(std::max(at, 0.0), 0.9999) * axis.cells));
    }
    EXPECT_TRUE(builder.add(cell, 1));
  }
  return std::move(builder).build();
}

Domain map_of(std::uint32_t cells, std::size_t stops) {
  std::vector<Axis> axes;
  std::vector<Stop> grouped;
  for (std::size_t stop = 0; stop < stops; ++stop) {
    axes.push_back({"x" + std::to_string(stop), cells, AxisKind::longitude, 10, 11, {}});
    axes.push_back({"y" + std::to_string(stop), cells, AxisKind::latitude, 0, 1, {}});
    grouped.push_back({"s" + std::to_string(stop), {2 * stop, 2 * stop + 1}});
  }
  return *Domain::make(axes, grouped);
}

std::vector<CoverageQuestion> draw(const CoverageQuestions& questions, const std::string& kind, std::size_t n = 40) {
  std::string why;
  std::vector<CoverageQuestion> drawn = questions.draw(*parse_question_kind(kind), n, 5, why);
  EXPECT_EQ(why, "") << kind;
  return drawn;
}

// By looking at every trip, at its place on the finest grid.
double true_count(const Regrid& grid, const CoverageQuestion& q, const Box& box) {
  const Matrix& fine = grid.fine();
  double sum = 0;
  for (std::size_t row = 0; row < fine.keys().size(); ++row) {
    bool inside = true;
    const auto place = [&](std::size_t axis) {
      return grid.place(axis, fine.keys_of_axes().cell(fine.keys()[row], axis));
    };
    for (std::size_t axis = 0; axis < fine.domain().d(); ++axis) {
      inside = inside && place(axis) >= box[axis].lo && place(axis) < box[axis].hi;
    }
    for (const StopArea& area : q.areas) {
      const double x = place(area.plane.x), y = place(area.plane.y);
      if (area.zone < 0) {
        inside = inside && std::hypot((x - area.x) / area.across_x, (y - area.y) / area.across_y) <= 0.5;
      } else {
        const double side = grid.domain().axis(area.plane.x).cells / 3.0;  // of squares(3), on square maps
        const auto i = static_cast<double>(area.zone / 3), j = static_cast<double>(area.zone % 3);
        inside = inside && x >= i * side && x < (i + 1) * side && y >= j * side && y < (j + 1) * side;
      }
    }
    if (inside) sum += static_cast<double>(fine.counts()[row]);
  }
  return sum;
}

TEST(CoverageQuestions, TruthsAreThoseOfEveryTripByItsPlace) {
  const Matrix fine = clumps(map_of(4096, 2), 3000);
  const Result<Regrid> grid = Regrid::make(fine, std::pair(25u, 25u));
  ASSERT_TRUE(grid);
  const Result<CoverageQuestions> questions = CoverageQuestions::make(*grid, squares(3));
  ASSERT_TRUE(questions);
  for (const std::string& kind : question_kinds()) {
    if (kind == "planted") continue;  // planted_flows_test.cc
    std::size_t met = 0;
    for (const CoverageQuestion& q : draw(*questions, kind)) {
      const double first = true_count(*grid, q, q.box), second = q.other ? true_count(*grid, q, *q.other) : 0;
      ASSERT_EQ(q.truth, q.as_ratio ? first / second : first - second) << kind;
      EXPECT_EQ(q.met, q.as_ratio ? second > 0 : first > 0 || second > 0) << kind;
      EXPECT_TRUE(q.met || !q.on_data) << kind;
      met += q.on_data;
    }
    EXPECT_GE(met, kind == "one-zone" || kind == "ratios" ? 18u : 40u) << kind;
  }
}

TEST(CoverageQuestions, KindsAskWhatTheySay) {
  const Matrix fine = clumps(map_of(1024, 3), 2000);
  const Result<Regrid> grid = Regrid::make(fine, std::pair(200u, 200u));
  const Result<CoverageQuestions> questions = CoverageQuestions::make(*grid, squares(3));
  ASSERT_TRUE(questions);
  // How many stops are asked about, and the sides of what is asked of them.
  const auto asked = [](const Box& box) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sides;
    for (std::size_t stop = 0; stop < 3; ++stop) {
      const std::uint32_t x = box[2 * stop].width(), y = box[2 * stop + 1].width();
      if (x < 200 || y < 200) sides.emplace_back(x, y);
    }
    return sides;
  };
  for (const auto& [kind, stops] : {std::pair("boxes:5", 3u), {"one-stop:5", 1u}, {"one-stop-free:5", 2u}}) {
    for (const CoverageQuestion& q : draw(*questions, kind)) {
      ASSERT_EQ(asked(q.box).size(), stops) << kind;
      for (const auto& side : asked(q.box)) EXPECT_EQ(side, std::pair(10u, 10u)) << kind;
    }
  }
  std::set<std::uint32_t> tiny;
  for (const CoverageQuestion& q : draw(*questions, "tiny")) {
    ASSERT_EQ(asked(q.box).size(), 3u);
    tiny.insert(asked(q.box)[0].first);
  }
  EXPECT_EQ(tiny, std::set<std::uint32_t>({1, 2, 4, 8}));
  for (const CoverageQuestion& q : draw(*questions, "tiny-one:8"))
    EXPECT_EQ(asked(q.box), decltype(asked(q.box))({{8, 8}}));
  for (const CoverageQuestion& q : draw(*questions, "elongated:10")) {
    for (const auto& [x, y] : asked(q.box)) {
      EXPECT_GT(std::max(x, y), 3 * std::min(x, y));
      EXPECT_NEAR(x * y, 400, 60);
    }
  }
  for (const CoverageQuestion& q : draw(*questions, "circles:5")) {
    ASSERT_EQ(q.areas.size(), 3u);
    EXPECT_EQ(q.areas[0].across_x, 10);
    EXPECT_NEAR(q.areas[0].across_y, 10, 0.01);  // at the equator
  }
  std::set<std::vector<std::int64_t>> tuples;
  for (const CoverageQuestion& q : draw(*questions, "zones:50", 20)) {
    std::vector<std::int64_t> tuple;
    for (const StopArea& area : q.areas) tuple.push_back(area.zone);
    EXPECT_EQ(tuple.size(), 3u);
    EXPECT_TRUE(tuples.insert(tuple).second) << "asked twice";
    EXPECT_TRUE(q.truth >= 50 || !q.on_data);
  }
  std::size_t same_origin = 0;
  for (const CoverageQuestion& q : draw(*questions, "differences:5")) {
    ASSERT_TRUE(q.other);
    same_origin += q.box[0] == (*q.other)[0] && q.box[1] == (*q.other)[1];
  }
  EXPECT_EQ(same_origin, 25u);  // of 50
}

// A street along a cell's edge: everybody lies in the same half of a cell, and the zone covers that half.
TEST(CoverageQuestions, AnEdgeInsideACellIsCountedByPlaces) {
  const Domain domain = map_of(1200, 1);
  MatrixBuilder builder(domain);
  for (std::uint32_t y = 0; y < 1200; ++y) builder.add(std::vector<std::uint32_t>{398, y}, 1);
  const Matrix fine = std::move(builder).build();
  const Result<Regrid> grid = Regrid::make(fine, std::pair(10u, 10u));  // the street is in cells 3.317
  const Result<CoverageQuestions> questions = CoverageQuestions::make(*grid, squares(3));  // an edge at cell 3.333
  ASSERT_TRUE(questions);
  for (const CoverageQuestion& q : draw(*questions, "zones", 9)) {
    EXPECT_EQ(q.truth, q.areas[0].zone < 3 ? 400 : 0) << q.areas[0].zone;
  }
}

TEST(CoverageQuestions, PlacesDoNotDependOnTheGrid) {
  const Matrix fine = clumps(map_of(4096, 2), 3000);
  const Result<Regrid> coarse = Regrid::make(fine, std::pair(100u, 100u)),
                       finer = Regrid::make(fine, std::pair(1000u, 1000u));
  const Result<CoverageQuestions> a = CoverageQuestions::make(*coarse, nullptr),
                                  b = CoverageQuestions::make(*finer, nullptr);
  const auto at_coarse = draw(*a, "circles:5"), at_finer = draw(*b, "circles:5");
  ASSERT_EQ(at_coarse.size(), at_finer.size());
  for (std::size_t i = 0; i < at_coarse.size(); ++i) {
    EXPECT_NEAR(10 * at_coarse[i].areas[1].x, at_finer[i].areas[1].x, 1e-9);
    EXPECT_EQ(at_coarse[i].truth, at_finer[i].truth);
  }
}

// Where nothing is known inside cells, questions are whole cells: a release without noise to speak of answers them all.
TEST(CoverageQuestions, OnItsOwnCellsAReleaseWithoutNoiseAnswersTheTruth) {
  const Matrix matrix = clumps(map_of(12, 2), 3000);
  const Result<Regrid> grid = Regrid::make(matrix, std::nullopt);
  const Result<CoverageQuestions> questions = CoverageQuestions::make(*grid, squares(3));
  ASSERT_TRUE(questions);
  StreamDice dice(test_key("coverage questions"));
  Kernel kernel(questions->matrix(), dice, 100 * kTicksPerEpsilon, 1);
  const Mechanism& identity = *find_mechanism("identity");
  const Release release = run_mechanism(identity, *read_params(identity, {}), kernel, Unit::trip);
  const Result<BoxIndex> index = BoxIndex::make(release);
  ASSERT_TRUE(index);
  Answerer ask(*index, {});
  for (const std::string& kind : question_kinds()) {
    if (kind == "planted") continue;  // planted_flows_test.cc
    for (const CoverageQuestion& q : draw(*questions, kind)) {
      const double first = ask(questions->query(*index, q)).estimate,
                   second = q.other ? ask(BoxQuery::of(*q.other)).estimate : 0;
      EXPECT_NEAR(q.as_ratio ? first / second : first - second, q.truth, 1e-6) << kind;
    }
  }
}

// Where cells are cut, the question's area is that of the circle or the zone.
TEST(CoverageQuestions, AsksForTheCoveredShareOfCutCells) {
  const Matrix fine = clumps(map_of(4096, 1), 500);
  const Result<Regrid> grid = Regrid::make(fine, std::pair(40u, 40u));
  const Result<CoverageQuestions> questions = CoverageQuestions::make(*grid, squares(3));
  ASSERT_TRUE(questions);
  StreamDice dice(test_key("coverage questions"));
  Kernel kernel(questions->matrix(), dice, kTicksPerEpsilon, 1);
  const Mechanism& identity = *find_mechanism("identity");
  const Release release = run_mechanism(identity, *read_params(identity, {}), kernel, Unit::trip);
  const Result<BoxIndex> index = BoxIndex::make(release);
  const auto area_of = [&](const CoverageQuestion& q) {
    const RegionQuery query = questions->query(*index, q);
    EXPECT_EQ(query.planes.size(), 1u);
    return query.planes[0].sums->area({0, 40}, {0, 40});
  };
  for (const CoverageQuestion& q : draw(*questions, "zones", 9)) EXPECT_NEAR(area_of(q), 40 * 40 / 9.0, 1e-9);
  for (const CoverageQuestion& q : draw(*questions, "circles:5")) {
    const StopArea& circle = q.areas[0];
    if (circle.x < 1 || circle.x > 39 || circle.y < 1 || circle.y > 39) continue;  // reaches beyond the map
    EXPECT_NEAR(area_of(q), std::acos(-1) * circle.across_x * circle.across_y / 4, 1e-9);
  }
}

TEST(CoverageQuestions, SayWhyThereAreNone) {
  const Matrix one_stop = clumps(map_of(64, 1), 100);
  const Result<Regrid> grid = Regrid::make(one_stop, std::nullopt);
  const Result<CoverageQuestions> questions = CoverageQuestions::make(*grid, nullptr);
  std::string why;
  EXPECT_TRUE(questions->draw(*parse_question_kind("one-stop-free"), 10, 1, why).empty());
  EXPECT_EQ(why, "there is one stop alone");
  EXPECT_TRUE(questions->draw(*parse_question_kind("zones"), 10, 1, why).empty());
  EXPECT_EQ(why, "no file of zones was given");
  const Matrix empty = MatrixBuilder(map_of(64, 1)).build();
  const Result<Regrid> nobody = Regrid::make(empty, std::nullopt);
  EXPECT_TRUE(CoverageQuestions::make(*nobody, nullptr)->draw(*parse_question_kind("boxes"), 10, 1, why).empty());
  EXPECT_EQ(why, "there is no trip");
  const Matrix bare = clumps(*Domain::of_shape({64, 64}), 100);
  const Result<Regrid> no_degrees = Regrid::make(bare, std::nullopt);
  const Result<CoverageQuestions> refused = CoverageQuestions::make(*no_degrees, squares(3));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("`zones` need a map in degrees, and axes a0 and a1 are none"))
      << refused.error().message;
}

TEST(CoverageQuestions, BadKindsAreNamed) {
  for (const char* text : {"box", "", "boxes:", "boxes:0", "boxes:101", "boxes:x", "tiny:-1", "random:5", "zones:1x"}) {
    const Result<QuestionKind> kind = parse_question_kind(text);
    ASSERT_FALSE(kind) << text;
    EXPECT_EQ(kind.error().failure, Failure::usage);
    EXPECT_NE(kind.error().message.find("\"" + std::string(text) + "\""), std::string::npos) << kind.error().message;
  }
}

}  // namespace
}  // namespace stopover
