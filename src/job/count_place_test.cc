// Where counts are held when nobody says it: by how many rows there may be and how much memory.
#include "job/count_place.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "duck/duck.h"
#include "job/publish_input.h"
#include "job/publish_job.h"

namespace stopover {
namespace {

class CountPlaceTest : public testing::Test {
 protected:
  CountPlaceTest() : folder_(testing::TempDir() + "count-place-XXXXXX") { EXPECT_NE(mkdtemp(folder_.data()), nullptr); }
  ~CountPlaceTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  // So many trips of one place each, in a small file.
  std::string parquet(std::uint64_t rows) const {
    const std::string made = path(fmt::format("{}.parquet", rows));
    Result<DuckSession> duck = DuckSession::open({.threads = 1, .memory_limit = ""});
    const Status written =
        duck->run(fmt::format("COPY (SELECT 1.5 AS o_lat, 2.5 AS o_lng, 3.5 AS d_lat, 4.5 AS d_lng "
                              "FROM range({})) TO {} (FORMAT PARQUET)",
                              rows, quote_output(made)));
    EXPECT_TRUE(written);
    return made;
  }
  PublishSpec spec_of(const std::string& input, const std::string& memory) const {
    RowsSpec rows;
    rows.source.input = input;
    rows.trips.shape = RowShape::trips;
    rows.box = DegreeBox{0, 0, 10, 10};
    rows.grid = {{10, 10}};
    rows.unit.unit = Unit::trip;
    PublishSpec spec;
    spec.data = rows;
    spec.epsilon = kTicksPerEpsilon;
    spec.memory_limit = memory;
    spec.output = path("out.odr");
    spec.ledger = path("a.ledger");
    spec.budget = kTicksPerEpsilon;
    spec.state = "none";
    return spec;
  }
  static CountsFrom from(const PublishSpec& spec) {
    const Result<PublishInput> input = open_publish_input(spec, spec.data, Observer());
    if (input) return input->counts_from;
    ADD_FAILURE() << input.error().message;
    return CountsFrom::spark;
  }
  std::string folder_;
};

TEST_F(CountPlaceTest, RowsThatMayNotFitAreStreamed) {
  const std::string few = parquet(1'000'000), many = parquet(4'000'000);
  EXPECT_EQ(from(spec_of(few, "128MB")), CountsFrom::memory);
  EXPECT_EQ(from(spec_of(many, "128MB")), CountsFrom::stream);
  EXPECT_EQ(from(spec_of(many, "200MB")), CountsFrom::memory);
  PublishSpec said = spec_of(many, "128MB");
  said.counts_from = CountsFrom::memory;
  EXPECT_EQ(from(said), CountsFrom::memory);
  said = spec_of(few, "128MB");
  said.counts_from = CountsFrom::stream;
  EXPECT_EQ(from(said), CountsFrom::stream);
}

TEST_F(CountPlaceTest, TextIsTakenForItsBytes) {
  const std::string name = path("trips.csv");
  std::ofstream(name) << "o_lat,o_lng,d_lat,d_lng\n1,2,3,4\n";
  EXPECT_EQ(from(spec_of(name, "128MB")), CountsFrom::memory);
  std::filesystem::resize_file(name, 200'000'000);  // a hole: no disk is used, and no line is read here
  EXPECT_EQ(from(spec_of(name, "128MB")), CountsFrom::stream);
}

// Many cells are kept as they come where a mechanism only passes over them; a dry run has them in order.
TEST_F(CountPlaceTest, ManyCellsAreHeldAsTheyCome) {
  const std::string cells = path("cells.parquet");
  Result<DuckSession> duck = DuckSession::open({.threads = 1, .memory_limit = ""});
  ASSERT_TRUE(
      duck->run(fmt::format("COPY (SELECT range % 10 AS a0, 3 AS a1, CASE WHEN range = 0 THEN 5 ELSE 1 END AS "
                            "count FROM range(4500000)) TO {} (FORMAT PARQUET)",
                            quote_output(cells))));
  PublishSpec spec = spec_of("", "2GB");
  MatrixSpec matrix;
  matrix.path = cells;
  matrix.domain.shape = {10, 10};
  matrix.unit.unit = Unit::trip;
  spec.data = matrix;
  const auto read = [&](bool passes) {
    const Result<PublishInput> input = open_publish_input(spec, spec.data, Observer());
    EXPECT_TRUE(input && input->only_passes);
    if (passes) input->only_passes();
    return input->read(Observer());
  };
  const Result<PublishRows> held = read(true), ordered = read(false);
  ASSERT_TRUE(held) << held.error().message;
  ASSERT_EQ(held->sources.size(), 1u);
  EXPECT_TRUE(held->matrices.empty());
  EXPECT_EQ(held->sources[0]->total(), 4'500'004u);
  ASSERT_TRUE(ordered);
  ASSERT_EQ(ordered->matrices.size(), 1u);
  EXPECT_EQ(ordered->matrices[0].total(), 4'500'004u);
}

// What a mechanism cannot do is told for what was asked, not for how many rows there are.
TEST_F(CountPlaceTest, AMechanismThatNeedsMemoryIsNotRefusedForSize) {
  PublishSpec spec = spec_of(parquet(4'000'000), "128MB");
  std::get<RowsSpec>(spec.data).grid = {{200, 200}};
  spec.mechanism = "daf-entropy";
  const Result<PublishPlan> plan = plan_publish(spec, Observer(), {});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->input.counts_from, CountsFrom::memory);
  spec.counts_from = CountsFrom::stream;
  const Result<PublishPlan> refused = plan_publish(spec, Observer(), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().failure, Failure::usage);
}

}  // namespace
}  // namespace stopover
