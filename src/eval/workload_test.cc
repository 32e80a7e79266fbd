#include "eval/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>

#include "synthetic/generate.h"

namespace stopover {
namespace {

struct Data {
  Matrix matrix;
  RangeCounter truth;
  explicit Data(const SyntheticTrips& trips) : matrix(to_matrix(trips)), truth(matrix) {}
};

TEST(Workload, NamesAreParsed) {
  EXPECT_EQ(parse_workload("random")->share, 0);
  EXPECT_DOUBLE_EQ(parse_workload("cov5")->share, 0.05);
  EXPECT_FALSE(parse_workload("cov5")->on_data);
  EXPECT_TRUE(parse_workload("dcov10")->on_data);
  EXPECT_DOUBLE_EQ(parse_workload("dcov2.5")->share, 0.025);
  for (const char* bad :
       {"", "cov", "cov0", "cov101", "dcov", "drandom", "cov-1", "covnan", "cov1e1", "cov5x", "Random"}) {
    ASSERT_FALSE(parse_workload(bad)) << bad;
    EXPECT_EQ(parse_workload(bad).error().failure, Failure::usage);
    EXPECT_TRUE(parse_workload(bad).error().message.starts_with("there is no workload \"" + std::string(bad) + "\""));
  }
}

TEST(Workload, SidesAreAsDeclared) {
  const Data data(*generate_city(2, 20'000, 1000, 7));
  for (const char* name : {"cov5", "cov10", "dcov1", "dcov5"}) {
    const WorkloadKind kind = *parse_workload(name);
    const Workload w = draw_workload(kind, data.matrix, data.truth, 50, 1);
    for (std::size_t i = 0; i < w.boxes.size(); ++i) {
      EXPECT_TRUE(data.matrix.domain().whole().contains(w.boxes[i]));
      EXPECT_GT(w.truth[i], 0u);
      for (std::size_t axis = 0; axis < 4; ++axis) EXPECT_EQ(w.boxes[i][axis].width(), 1000 * kind.share);
    }
    EXPECT_EQ(w.boxes.size(), 50u);
    EXPECT_EQ(kind.on_data, w.redrawn_share() == 0);
  }
}

TEST(Workload, RandomEndsAreUniform) {
  const Data data(*generate_gaussian(1, 100'000, 10, 100, 7));  // a trip in every cell: nothing is drawn again
  const Workload w = draw_workload(*parse_workload("random"), data.matrix, data.truth, 20'000, 1);
  EXPECT_EQ(w.redrawn_share(), 0);
  std::size_t whole = 0, first = 0;
  double width = 0;
  for (const Box& box : w.boxes) {
    whole += box[0].width() == 10;
    first += box[0].lo == 0;
    width += box[0].width();
  }
  EXPECT_NEAR(static_cast<double>(whole) / 20'000, 0.02, 0.005);  // 2/10^2
  EXPECT_NEAR(static_cast<double>(first) / 20'000, 0.19, 0.015);  // 1 - 0.9^2
  EXPECT_NEAR(width / 20'000, 4.3, 0.1);                          // (10^2 - 1)/(3*10) + 1
}

TEST(Workload, BoxesOnDataFollowTheTrips) {
  MatrixBuilder builder(*Domain::of_shape({1000}));
  builder.add(std::array{3u}, 9000);
  builder.add(std::array{500u}, 1000);
  const Matrix matrix = std::move(builder).build();
  const RangeCounter truth(matrix);
  const Workload w = draw_workload(*parse_workload("dcov1"), matrix, truth, 5000, 1);
  std::size_t left = 0;
  for (const Box& box : w.boxes) {
    ASSERT_TRUE(box[0] == (Interval{0, 10}) || box[0] == (Interval{495, 505}));
    left += box[0].lo == 0;
  }
  EXPECT_NEAR(static_cast<double>(left) / 5000, 0.9, 0.02);
}

TEST(Workload, KindsOfNeedlesAndDistrictsAreParsed) {
  EXPECT_EQ(parse_workload("needle20")->needle->needles, 20u);
  EXPECT_EQ(parse_workload("blob")->needle->side, 5u);
  EXPECT_FALSE(parse_workload("busy")->needle);
  EXPECT_EQ(parse_workload("busy")->districts, 25u);
  EXPECT_EQ(parse_workload("busy10")->districts, 10u);
  for (const char* bad : {"busy0", "busy-1", "busy1001", "busyx", "busy10x", "needle0", "blobs"}) {
    EXPECT_FALSE(parse_workload(bad)) << bad;
  }
}

// All pairs of districts with 50 trips and more, and no other; counted by hand.
TEST(Workload, BusyPairsAreThoseOfFiftyTrips) {
  const Data data(*generate_city(2, 20'000, 1000, 7));
  const Workload all = draw_workload(*parse_workload("busy10"), data.matrix, data.truth, 100'000, 1);
  std::size_t busy = 0;
  for (std::uint32_t pair = 0; pair < 10'000; ++pair) {
    Box box = data.matrix.domain().whole();
    std::uint32_t rest = pair;
    for (std::size_t axis = 0; axis < 4; ++axis, rest /= 10) box[axis] = {100 * (rest % 10), 100 * (rest % 10) + 100};
    const std::uint64_t trips = data.truth.count(box);
    const auto at = std::find(all.boxes.begin(), all.boxes.end(), box);
    ASSERT_EQ(at != all.boxes.end(), trips >= kBusyTrips) << pair;
    if (at == all.boxes.end()) continue;
    EXPECT_EQ(all.truth[static_cast<std::size_t>(at - all.boxes.begin())], trips);
    ++busy;
  }
  EXPECT_EQ(all.boxes.size(), busy);
  EXPECT_GT(busy, 30u);
  EXPECT_EQ(all.redrawn_share(), 0);
  // Fewer: some of them, each once, others for another seed.
  const Workload some = draw_workload(*parse_workload("busy10"), data.matrix, data.truth, 20, 1);
  ASSERT_EQ(some.boxes.size(), 20u);
  for (const Box& box : some.boxes) {
    EXPECT_EQ(std::count(some.boxes.begin(), some.boxes.end(), box), 1);
    EXPECT_EQ(std::count(all.boxes.begin(), all.boxes.end(), box), 1);
  }
  EXPECT_NE(draw_workload(*parse_workload("busy10"), data.matrix, data.truth, 20, 2).boxes, some.boxes);
}

// Axes that the number of districts does not divide, or shorter than it, are covered once all the same.
TEST(Workload, DistrictsCoverEveryCellOnce) {
  for (const std::uint64_t cells : {7u, 25u, 103u}) {
    MatrixBuilder builder(*Domain::of_shape({cells}));
    for (std::uint32_t cell = 0; cell < cells; ++cell) builder.add(std::array{cell}, 60);
    const Matrix matrix = std::move(builder).build();
    const RangeCounter truth(matrix);
    const Workload w = draw_workload(*parse_workload("busy"), matrix, truth, 1000, 1);
    std::uint64_t covered = 0, trips = 0;
    for (std::size_t i = 0; i < w.boxes.size(); ++i) {
      covered += w.boxes[i][0].width();
      trips += w.truth[i];
      EXPECT_EQ(truth.count(w.boxes[i]), w.truth[i]);
    }
    EXPECT_EQ(covered, cells);
    EXPECT_EQ(trips, 60 * cells);
  }
}

// Boxes as needles have, in all places alike: most hold nothing, and are kept.
TEST(Workload, PlacesAreKeptWhateverTheyHold) {
  const Data data(*generate_city(2, 20'000, 1000, 7));
  const Workload w = draw_workload(*parse_workload("places"), data.matrix, data.truth, 200, 1);
  ASSERT_EQ(w.boxes.size(), 200u);
  EXPECT_GT(std::count(w.truth.begin(), w.truth.end(), 0u), 150);
  for (std::size_t i = 0; i < w.boxes.size(); ++i) {
    EXPECT_EQ(w.truth[i], data.truth.count(w.boxes[i]));
    for (std::size_t axis = 0; axis < 4; ++axis) EXPECT_LE(w.boxes[i][axis].width(), 21u);
  }
  EXPECT_NE(draw_workload(*parse_workload("places"), data.matrix, data.truth, 200, 2).boxes, w.boxes);
}

TEST(Workload, GivesUpWhereNothingIsMet) {
  MatrixBuilder builder(*Domain::of_shape({1u << 30, 1u << 30}));
  builder.add(std::array{77u, 77u}, 1);
  const Matrix matrix = std::move(builder).build();
  const RangeCounter truth(matrix);
  const Workload w = draw_workload(*parse_workload("cov0.001"), matrix, truth, 3, 1);
  EXPECT_TRUE(w.boxes.empty());
  EXPECT_EQ(w.drawn, 3 * kMaxDrawsPerQuery);
  EXPECT_EQ(w.redrawn_share(), 1);
  EXPECT_EQ(draw_workload(*parse_workload("dcov1"), matrix, truth, 3, 1).boxes.size(), 3u);
  const Data empty(*generate_gaussian(2, 0, 10, 1, 1));
  EXPECT_TRUE(draw_workload(*parse_workload("dcov1"), empty.matrix, empty.truth, 3, 1).boxes.empty());
}

TEST(Workload, SavedBatchesAreReadBack) {
  const Data data(*generate_zipf(3, 20'000, 50, 1.1, 7));
  const Domain& domain = data.matrix.domain();
  const Workload w = draw_workload(*parse_workload("random"), data.matrix, data.truth, 40, 1);
  const std::string text = to_batch_csv(domain, w.boxes);
  EXPECT_TRUE(text.starts_with("a0_lo,a0_hi,a1_lo,a1_hi,a2_lo,a2_hi\n"));
  const std::string path = testing::TempDir() + "workload_test.csv";
  std::ofstream(path) << text;
  const Result<Workload> again = load_workload(path, "saved", domain, data.truth);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->boxes, w.boxes);
  EXPECT_EQ(again->truth, w.truth);
  EXPECT_EQ(again->name, "saved");

  std::ofstream(path) << "a1_lo,a1_hi\n3,9\n";
  EXPECT_EQ(load_workload(path, "x", domain, data.truth)->boxes[0][0], (Interval{0, 50}));
  std::ofstream(path) << "a1_lo,a1_hi\n3,nine\n";
  EXPECT_EQ(load_workload(path, "x", domain, data.truth).error().failure, Failure::bad_input);
  std::ofstream(path) << "";
  EXPECT_EQ(load_workload(path, "x", domain, data.truth).error().failure, Failure::bad_input);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace stopover
