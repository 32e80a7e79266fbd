#include "eval/experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "eval/release_meter.h"
#include "peers/lab_run.h"
#include "privacy/stream_dice.h"
#include "synthetic/generate.h"
#include "synthetic/number_sequence.h"
#include "testing/test_key.h"

namespace stopover {
namespace {

class ExperimentTest : public testing::Test {
 protected:
  ExperimentTest() : matrix_(to_matrix(*generate_gaussian(2, 20'000, 64, 10, 7))), truth_(matrix_) {
    data_ = {"g2", &matrix_, &truth_, {}};
    for (const char* name : {"random", "dcov10"}) {
      data_.workloads.push_back(draw_workload(*parse_workload(name), matrix_, truth_, 40, 3));
    }
    for (const char* name : {"ebp", "daf-entropy:stop=2"}) spec_.mechanisms.push_back(*parse_mechanism_choice(name));
    spec_.epsilons = {kTicksPerEpsilon / 10, kTicksPerEpsilon};
    spec_.reps = 2;
    spec_.seed = 5;
    spec_.queries_wanted = 40;
  }

  ResultTable run(const FinishedRuns& finished = {}, std::size_t* runs = nullptr) {
    ResultTable table;
    const Result<std::vector<SkippedMechanism>> skipped = run_experiment(
        data_, spec_, finished, [&](std::span<const ResultRow> rows, const ExperimentProgress& progress) {
          table.rows.insert(table.rows.end(), rows.begin(), rows.end());
          if (runs) *runs = progress.runs;
          EXPECT_GE(progress.seconds_left, 0);
          return Status();
        });
    EXPECT_TRUE(skipped);
    return table;
  }

  // Without what the clock and the machine decide.
  static std::map<std::string, double> figures(const ResultTable& table) {
    std::map<std::string, double> all;
    for (const ResultRow& row : table.rows) {
      if (row.metric == "query_us" || row.metric == "publish_seconds" || row.metric == "peak_memory_mb") continue;
      const std::string name =
          row.mechanism + " " + row.epsilon + " " + row.workload + " " + std::to_string(row.rep) + " " + row.metric;
      EXPECT_TRUE(all.emplace(name, row.value).second) << name;
    }
    return all;
  }

  Matrix matrix_;
  RangeCounter truth_;
  ExperimentData data_;
  ExperimentSpec spec_;
};

TEST_F(ExperimentTest, EveryRunHasItsRows) {
  const std::map<std::string, double> all = figures(run());
  EXPECT_EQ(all.at("ebp 0.1 random 0 queries"), 40);
  EXPECT_EQ(all.at("ebp 0.1 - 1 seed"), 5);
  EXPECT_EQ(all.at("ebp 0.1 - 1 trips"), 20'000);
  EXPECT_EQ(all.at("daf-entropy:stop=2 1 dcov10 1 redrawn_share"), 0);
  EXPECT_GT(all.at("daf-entropy:stop=2 1 - 1 partitions"), all.at("daf-entropy:stop=2 0.1 - 1 partitions"));
  EXPECT_LT(all.at("daf-entropy:stop=2 1 - 0 entropy_partition"), all.at("daf-entropy:stop=2 1 - 0 entropy_cells"));
  EXPECT_GT(all.at("daf-entropy:stop=2 1 - 0 entropy_partition"),
            all.at("daf-entropy:stop=2 0.1 - 0 entropy_partition"));
  EXPECT_LT(all.at("ebp 1 random 0 mre_plain"), all.at("ebp 0.1 random 0 mre_plain"));
  EXPECT_GT(all.at("ebp 1 random 0 max_absolute"), all.at("ebp 1 random 0 mean_absolute"));
  EXPECT_LT(all.at("ebp 1 random 0 mre_floor"), all.at("ebp 1 random 0 mre"));
  EXPECT_NEAR(all.at("ebp 0.1 random 0 mre_floor") / all.at("ebp 1 random 0 mre_floor"), 11.73,
              0.01);  // sinh 1/sinh .1
  EXPECT_NE(all.at("ebp 1 random 0 mre"), all.at("ebp 1 random 1 mre"));
}

TEST_F(ExperimentTest, SameSeedSameFiguresForAnyNumberOfJobs) {
  const auto first = figures(run());
  spec_.jobs = 3;
  EXPECT_EQ(figures(run()), first);
  spec_.seed = 6;
  EXPECT_NE(figures(run()), first);
}

// Rows of needles: one size per repetition, other places each time, in tens of trips where every cell is counted.
TEST_F(ExperimentTest, NeedlesHaveRowsOfTheirOwn) {
  const Matrix line = to_matrix(*generate_gaussian(1, 5000, 8192, 300, 7));
  const RangeCounter truth(line);
  data_ = {"line", &line, &truth, {}, {*parse_needle("needle"), *parse_needle("needle20")}};
  spec_.mechanisms = {*parse_mechanism_choice("laplace"), *parse_mechanism_choice("uniform")};
  spec_.epsilons = {kTicksPerEpsilon / 2};
  ResultTable table = run();
  const std::map<std::string, double> all = figures(table);
  EXPECT_NEAR(all.at("laplace 0.5 needle 0 limit"), 16.64, 0.01);
  EXPECT_EQ(all.at("uniform 0.5 needle20 1 needle_limits"), kNeverFound);
  EXPECT_EQ(all.at("uniform 0.5 needle20 1 found_16"), 0);
  EXPECT_EQ(all.at("laplace 0.5 needle20 1 found_16"), 1);
  EXPECT_LT(all.at("laplace 0.5 needle20 0 needle_size"), 40);
  EXPECT_DOUBLE_EQ(all.at("laplace 0.5 needle20 0 needle_size"),
                   all.at("laplace 0.5 needle20 0 needle_limits") * all.at("laplace 0.5 needle20 0 limit"));
  EXPECT_GT(all.at("laplace 0.5 - 0 total_error"), all.at("uniform 0.5 - 0 total_error"));
  EXPECT_NEAR(all.at("laplace 0.5 - 0 floor_count"), 1.919, 0.001);
  EXPECT_NEAR(all.at("laplace 0.5 - 0 floor_ranges"), 16.64 / 2, 0.01);
  // The same again is the same, and what is there is not run again; a run without its last row is.
  EXPECT_EQ(figures(run()), all);
  std::size_t runs = 99;
  EXPECT_TRUE(run(FinishedRuns(table), &runs).rows.empty());
  std::erase_if(table.rows, [](const ResultRow& row) {
    return row.mechanism == "laplace" && row.rep == 1 && row.workload == "needle" && row.metric == "found_16";
  });
  const FinishedRuns part(table);
  const ResultTable added = run(part, &runs);
  EXPECT_EQ(runs, 1u);
  EXPECT_EQ(added.rows.size(), 4u);
}

// Needles of one size: so many places a key, in whole releases, and other ones with every key.
TEST_F(ExperimentTest, NeedlesOfOneSizeAreAskedForAtManyPlaces) {
  const Matrix line = to_matrix(*generate_gaussian(1, 5000, 8192, 300, 7));
  const RangeCounter truth(line);
  data_ = {"line", &line, &truth, {}, {*parse_needle("needle@16"), *parse_needle("needle20@1"), *parse_needle("needle")}};
  spec_.mechanisms = {*parse_mechanism_choice("laplace"), *parse_mechanism_choice("uniform")};
  spec_.epsilons = {kTicksPerEpsilon / 2};
  spec_.places = 30;
  ResultTable table = run();
  const std::map<std::string, double> all = figures(table);
  EXPECT_NEAR(all.at("laplace 0.5 needle@16 0 limit"), 16.64, 0.01);
  EXPECT_EQ(all.at("laplace 0.5 needle@16 0 places"), 30);
  EXPECT_EQ(all.at("laplace 0.5 needle20@1 0 places"), 40);
  EXPECT_EQ(all.at("laplace 0.5 needle@16 1 found"), 1);
  EXPECT_EQ(all.at("uniform 0.5 needle@16 1 found"), 0);
  EXPECT_GT(all.at("laplace 0.5 needle20@1 0 found"), 0);
  EXPECT_NE(all.at("laplace 0.5 needle20@1 0 found"), all.at("laplace 0.5 needle20@1 1 found"));
  EXPECT_FALSE(all.contains("laplace 0.5 needle@16 0 needle_limits"));
  EXPECT_EQ(figures(run()), all);
  std::size_t runs = 99;
  EXPECT_TRUE(run(FinishedRuns(table), &runs).rows.empty());
  // Other numbers of places are no figures of one table.
  EXPECT_TRUE(FinishedRuns(table).check("line", spec_));
  spec_.places = 40;
  const Status refused = FinishedRuns(table).check("line", spec_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("places 30, not 40"), std::string::npos) << refused.error().message;
}

// Releases with a needle have the key of the one without: where every cell is counted plainly, the noise in a box is
// the same for all sizes T, and the needle is found where T/2 exceeds it either way.
TEST_F(ExperimentTest, NeedlesComeWithTheSameKeyAndOtherPlaces) {
  const Matrix line = to_matrix(*generate_gaussian(1, 5000, 8192, 300, 7));
  const RangeCounter truth(line);
  const NeedleKind kind = *parse_needle("needle");
  data_ = {"line", &line, &truth, {}, {kind}};
  spec_.mechanisms = {*parse_mechanism_choice("laplace")};
  spec_.epsilons = {kTicksPerEpsilon / 10};
  spec_.reps = 6;
  const std::map<std::string, double> all = figures(run());
  std::size_t in_range = 0;
  for (std::uint32_t rep = 0; rep < spec_.reps; ++rep) {
    const std::string name = std::to_string(rep);
    StreamDice dice(test_key("evaluate 5 line laplace 0.1 " + name));
    Kernel kernel(line, dice, spec_.epsilons[0], 1);
    const LabResult made = run_in_lab(*spec_.mechanisms[0].mechanism, spec_.mechanisms[0].params, kernel, Unit::trip);
    const NeedlePlaces places = draw_needles(kind, line.domain(), NumberSequence(5, rep).next());
    const double noise =
        ReleaseMeter::make(made, truth)->estimates(places.boxes)[0] - static_cast<double>(truth.count(places.boxes[0]));
    const double size = all.at("laplace 0.1 needle " + name + " needle_size");
    if (2 * std::abs(noise) < all.at("laplace 0.1 needle " + name + " limit")) continue;
    EXPECT_NEAR(std::log2(size), std::log2(2 * std::abs(noise)), 0.15) << rep;
    ++in_range;
  }
  EXPECT_GE(in_range, 2u);
}

TEST_F(ExperimentTest, OnlyWhatIsMissingIsRun) {
  ResultTable whole = run();
  std::size_t runs = 99;
  EXPECT_TRUE(run(FinishedRuns(whole), &runs).rows.empty());
  EXPECT_EQ(runs, 99u);  // no run, no call

  ResultTable part = whole;  // one run is gone, one lacks a workload's last row, one was stopped half way
  std::erase_if(part.rows, [](const ResultRow& row) {
    return (row.mechanism == "ebp" && row.epsilon == "1" && row.rep == 1) ||
           (row.mechanism == "ebp" && row.epsilon == "0.1" && row.rep == 0 && row.workload == "random" &&
            row.metric == "query_us") ||
           (row.mechanism != "ebp" && row.epsilon == "1" && row.rep == 0 && row.workload == "-");
  });
  const FinishedRuns finished(part);
  const ResultTable added = run(finished, &runs);
  EXPECT_EQ(runs, 3u);
  part.rows.insert(part.rows.end(), added.rows.begin(), added.rows.end());
  EXPECT_EQ(figures(part), figures(whole));
}

TEST_F(ExperimentTest, OtherSettingsAreNotMixedIn) {
  ResultTable table = run();
  const FinishedRuns finished(table);
  EXPECT_TRUE(finished.check("g2", spec_));
  spec_.seed = 6;
  EXPECT_EQ(finished.check("g2", spec_).error().failure, Failure::usage);
  EXPECT_TRUE(finished.check("another", spec_));
  spec_.seed = 5;
  spec_.queries_wanted = 41;
  EXPECT_FALSE(finished.check("g2", spec_));
}

TEST_F(ExperimentTest, AFailureOfTheListenerStopsIt) {
  std::size_t calls = 0;
  const Result<std::vector<SkippedMechanism>> result =
      run_experiment(data_, spec_, {}, [&](std::span<const ResultRow>, const ExperimentProgress&) -> Status {
        return ++calls == 2 ? Error{Failure::interrupted, "interrupted"} : Status();
      });
  EXPECT_EQ(result.error().failure, Failure::interrupted);
  EXPECT_EQ(calls, 2u);
}

TEST_F(ExperimentTest, WhatCannotRunIsSkippedAndTold) {
  const Matrix wide = to_matrix(*generate_city(3, 1000, 1000, 7));
  const RangeCounter truth(wide);
  data_ = {"city", &wide, &truth, {draw_workload(*parse_workload("dcov5"), wide, truth, 5, 1)}};
  spec_.mechanisms = {*parse_mechanism_choice("identity"), *parse_mechanism_choice("ebp")};
  std::size_t calls = 0;
  const Result<std::vector<SkippedMechanism>> skipped =
      run_experiment(data_, spec_, {}, [&](std::span<const ResultRow> rows, const ExperimentProgress&) {
        ++calls;
        EXPECT_FALSE(rows.empty());
        return Status();
      });
  ASSERT_EQ(skipped->size(), 1u);
  EXPECT_EQ((*skipped)[0].mechanism, "identity");
  EXPECT_FALSE((*skipped)[0].why.empty());
  EXPECT_EQ(calls, 4u);
}

TEST(MechanismChoice, IsParsed) {
  EXPECT_EQ(parse_mechanism_choice("ebp")->mechanism, find_mechanism("ebp"));
  EXPECT_EQ(parse_mechanism_choice("daf-entropy:stop=3")->params.number("stop"), 3);
  EXPECT_EQ(parse_mechanism_choice("daf-entropy:stop=3")->label, "daf-entropy:stop=3");
  for (const char* bad :
       {"", "ebb", "ebp:", "ebp:stop", "daf-entropy:stop=x", "daf-entropy:nothing=1", "daf-entropy:stop=1:stop=2"}) {
    ASSERT_FALSE(parse_mechanism_choice(bad)) << bad;
    EXPECT_EQ(parse_mechanism_choice(bad).error().failure, Failure::usage) << bad;
  }
}

}  // namespace
}  // namespace stopover
