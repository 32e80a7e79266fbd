// With a program of shell lines in the place of Spark's: what is sent there, what is made of what comes back.
#include "job/spark_source.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "disk/private_folder.h"
#include "disk/write_file.h"
#include "duck/duck.h"
#include "ingest/tally_wire.h"

namespace stopover {
namespace {

class SparkSources : public testing::Test {
 protected:
  // The program: gives sums-0 to the first question, sums-1 to the second, ...
  static constexpr const char* kAnswers = R"(
folder=$1; n=0
while [ -e "$HERE/sums-$n.parquet" ]; do
  while [ ! -e "$folder/ask-$n" ]; do sleep 0.01; done
  [ -s "$folder/task-$n.bin" ] && [ -s "$folder/job.json" ] || exit 1
  mkdir "$folder/sums-$n" && cp "$HERE/sums-$n.parquet" "$folder/sums-$n/" && : > "$folder/sums-$n.done"
  n=$((n + 1))
done
)";

  SparkSources() : folder_(*PrivateFolder::make(temporary_place(), "spark-test-")) {
    setenv("STOPOVER_PYTHON", "sh", 1);
    setenv("STOPOVER_SPARK_JOB", (folder_.path() + "/cells.py").c_str(), 1);
    setenv("HERE", folder_.path().c_str(), 1);
    std::filesystem::create_directory(temp());
  }
  ~SparkSources() override {
    EXPECT_TRUE(std::filesystem::is_empty(temp())) << "something private was left";
    for (const char* name : {"STOPOVER_PYTHON", "STOPOVER_SPARK_JOB", "HERE"}) unsetenv(name);
  }

  std::string temp() const { return folder_.path() + "/temp"; }
  void program(const std::string& lines) { ASSERT_TRUE(write_file(folder_.path() + "/count.py", lines)); }
  void sums(int number, const TallySums& sums) {
    Result<DuckSession> duck = DuckSession::open();
    ASSERT_TRUE(duck->load(
        "sums",
        {DuckColumn::of("lattice", sums.lattice), DuckColumn::of("box", sums.box), DuckColumn::of("count", sums.count)},
        sums.box.size()));
    ASSERT_TRUE(duck->run("COPY sums TO " +
                          quote_output(folder_.path() + "/sums-" + std::to_string(number) + ".parquet") +
                          " (FORMAT parquet)"));
  }
  static TallySums seen(std::int64_t rows, std::int64_t trips, std::int64_t box_zero) {
    return {{-1, -2, -2, -2, -2}, {0, 0, 1, 2, 3}, {box_zero, rows, trips, 2, 1}};
  }
  Result<stopover::SparkSources> open(std::function<bool()> interrupted = [] { return false; }) const {
    const Domain domain = *Domain::of_shape({10, 10});
    return open_spark_sources({{"cells.parquet"}, "", {{1, domain}}}, {"local[1]", temp(), std::move(interrupted)});
  }
  // Two boxes, cut at 5.
  static TallyTask halves() {
    TallyTask task;
    task.widths = {10, 10};
    task.tree = {{0, 5, ~0, ~1}};
    task.root = 0;
    task.slots = 2;
    return task;
  }

 private:
  PrivateFolder folder_;
};

TEST_F(SparkSources, SumsComeBack) {
  program(kAnswers);
  sums(0, seen(7, 30, 30));
  sums(1, {{-1, -1, -2, -2, -2, -2}, {0, 1, 0, 1, 2, 3}, {10, 20, 7, 30, 2, 1}});
  const auto opened = open();
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->dropped.outside, 2u);
  EXPECT_EQ(opened->dropped.bad_count, 1u);
  EXPECT_EQ(opened->sources[0]->total(), 30u);
  EXPECT_EQ(opened->sources[0]->matrix(), nullptr);
  const TallyTask task = halves();
  Tally tally(task);
  opened->sources[0]->pass(tally);
  EXPECT_EQ(tally.slot(0), 10u);
  EXPECT_EQ(tally.slot(1), 20u);
}

// A row more, a trip more, a row that fits no longer: another data set than at first.
TEST_F(SparkSources, RowsThatChangeEndTheRun) {
  for (const auto& [rows, trips] : {std::pair{8, 30}, {7, 31}, {6, 30}}) {
    program(kAnswers);
    sums(0, seen(7, 30, 30));
    sums(1, seen(rows, trips, 10));
    const auto opened = open();
    ASSERT_TRUE(opened);
    const TallyTask task = halves();
    Tally tally(task);
    EXPECT_THROW(opened->sources[0]->pass(tally), SourceFailure) << rows << " " << trips;
  }
  sums(0, seen(7, 30, 29));
  EXPECT_FALSE(open()) << "sums that do not add up";
}

TEST_F(SparkSources, ProgramsThatEnd) {
  const auto code = [&](const std::string& lines) {
    program(lines);
    const auto opened = open();
    EXPECT_FALSE(opened);
    return opened ? Failure::internal : opened.error().failure;
  };
  EXPECT_EQ(code("exit 2"), Failure::usage) << "no pyspark";
  EXPECT_EQ(code("exit 3"), Failure::usage) << "no package";
  EXPECT_EQ(code("exit 4"), Failure::usage) << "no Java";
  EXPECT_EQ(code("exit 1"), Failure::bad_input);
  EXPECT_EQ(code("exit 0"), Failure::bad_input) << "too early";
  EXPECT_EQ(code("kill -9 $$"), Failure::interrupted);
  program(std::string(kAnswers) + "exit 7\n");
  sums(0, seen(7, 30, 30));
  const auto opened = open();
  ASSERT_TRUE(opened);
  const TallyTask task = halves();
  Tally tally(task);
  EXPECT_THROW(opened->sources[0]->pass(tally), SourceFailure) << "ended after the first pass";
}

TEST_F(SparkSources, AreHeardToStop) {
  program("trap '' TERM\nwhile :; do sleep 0.05; done");  // deaf, too
  int asked = 0;
  const auto opened = open([&] { return ++asked > 5; });
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().failure, Failure::interrupted);
}

}  // namespace
}  // namespace stopover
