#include "eval/interval_study.h"

#include <gtest/gtest.h>

#include <cmath>

#include "synthetic/number_sequence.h"

namespace stopover {
namespace {

Matrix some_trips() {
  NumberSequence numbers(4);
  MatrixBuilder builder(*Domain::of_shape({24, 24}));
  for (std::size_t i = 0; i < 4000; ++i) {
    const auto at = [&] {
      return static_cast<std::uint32_t>(std::min(std::max(12 + 4 * numbers.normal(), 0.0), 23.0));
    };
    const std::vector<std::uint32_t> cell = {at(), at()};
    EXPECT_TRUE(builder.add(cell, 1));
  }
  return std::move(builder).build();
}

struct Studied {
  explicit Studied(const char* mechanism, std::vector<double> levels = {0.8, 0.95}) {
    const Result<Regrid> grid = Regrid::make(matrix, std::nullopt);
    const Result<CoverageQuestions> questions = CoverageQuestions::make(*grid, nullptr);
    std::vector<AskedKind> asked;
    std::string why;
    for (const char* kind : {"boxes", "differences"}) {
      asked.push_back({kind, questions->draw(*parse_question_kind(kind), 60, 1, why)});
    }
    StudySpec spec;
    spec.mechanism = find_mechanism(mechanism);
    spec.params = *read_params(*spec.mechanism, {});
    spec.label = mechanism;
    spec.epsilon = kTicksPerEpsilon;
    spec.reps = 2;
    spec.queries = 60;
    spec.levels = std::move(levels);
    Result<IntervalStudy> found = study_intervals({"some", "24x24"}, *questions, asked, spec);
    EXPECT_TRUE(found) << found.error().message;
    study = *std::move(found);
  }
  const CoverageRow& row(const std::string& kind, double level) const {
    for (const CoverageRow& r : study.rows) {
      if (r.of.kind == kind && r.of.level == level) return r;
    }
    ADD_FAILURE() << kind << " " << level;
    return study.rows[0];
  }
  Matrix matrix = some_trips();
  IntervalStudy study;
};

TEST(IntervalStudy, ARowPerKindAndLevelThatAddsUp) {
  const Studied made("identity");
  ASSERT_EQ(made.study.rows.size(), 6u);
  for (const double level : {0.8, 0.95}) {
    const CoverageRow &boxes = made.row("boxes", level), &all = made.row("all", level);
    EXPECT_EQ(boxes.questions, 120u);  // two releases
    EXPECT_EQ(boxes.uniform, 30u);
    EXPECT_EQ(all.questions, 240u);
    EXPECT_EQ(boxes.of.stops, 1u);
    EXPECT_NEAR(boxes.held_all, (120 * boxes.held + 30 * boxes.held_uniform) / 150, 1e-9);
    EXPECT_NEAR(all.held, (boxes.held + made.row("differences", level).held) / 2, 1e-9);
    double tenths = 0;
    for (const double tenth : boxes.tenths) tenths += tenth / 10;
    EXPECT_NEAR(tenths, boxes.held, 1e-9);
    EXPECT_GE(boxes.score, boxes.width);
  }
  // Without cut leaves noise is all there is to be wrong: what it says holds, and a little more.
  EXPECT_GT(made.row("boxes", 0.8).noise_held, 72);
  EXPECT_GT(made.row("boxes", 0.95).noise_held, made.row("boxes", 0.8).noise_held);
  EXPECT_GT(made.row("boxes", 0.95).noise_width, 1.3 * made.row("boxes", 0.8).noise_width);
  // Nothing is learned of such a release, so that its intervals are bounds, and bounds are always claimed.
  EXPECT_EQ(made.study.calibrated_releases, 0u);
  EXPECT_EQ(made.row("boxes", 0.95).claimed, 100);
  EXPECT_EQ(made.row("boxes", 0.95).held_claimed, made.row("boxes", 0.95).held);
}

// One count of everything, shared out evenly: noise intervals are narrow and miss by far.
TEST(IntervalStudy, MissesCostTheirDistance) {
  const Studied made("uniform", {0.9});
  const CoverageRow& row = made.row("boxes", 0.9);
  EXPECT_LT(row.noise_held, 50);
  EXPECT_GT(row.noise_score, 10 * row.noise_width);
  EXPECT_EQ(row.bounds_held, 100);
  EXPECT_EQ(row.bounds_score, row.bounds_width);
}

// Either side at a level that fails half as often: its width is that of both sides at 97.5 %.
TEST(IntervalStudy, ADifferenceIsAsWideAsBothSides) {
  const Studied made("identity", {0.95, 0.975});
  const double both = made.row("differences", 0.95).width, one = made.row("boxes", 0.975).width;
  EXPECT_GT(both, 1.5 * one);
  EXPECT_LT(both, 2.5 * one);
  EXPECT_GT(made.row("differences", 0.95).held, 95);
}

}  // namespace
}  // namespace stopover
