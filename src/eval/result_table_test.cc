#include "eval/result_table.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace stopover {
namespace {

class ResultFiles : public testing::Test {
 protected:
  ~ResultFiles() override {
    for (const char* end : {".csv", ".parquet", ".partial"}) std::remove((base_ + end).c_str());
  }
  std::string base_ = testing::TempDir() + "result_table_test";
  const ResultTable table_{{{"g4 (private)", "ebp", "0.1", "random", 0, "mre", 12.5},
                            {"a \"b\", c", "daf-entropy:stop=2", "0.5", "-", 3, "seed", 7},
                            {"g4 (private)", "ebp", "0.1", "cov1", 1, "mre", 0.1 + 0.2}}};
};

TEST_F(ResultFiles, AreReadBackAsWritten) {
  for (const char* end : {".csv", ".parquet"}) {
    const Status written = table_.write(base_ + end, "private");
    ASSERT_TRUE(written) << written.error().message;
    const Result<ResultTable> read = ResultTable::read(base_ + end);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->rows, table_.rows) << end;
  }
  std::ifstream file(base_ + ".csv");
  std::string header;
  std::getline(file, header);
  EXPECT_EQ(header, "data,mechanism,epsilon,workload,rep,metric,value");
}

TEST_F(ResultFiles, TheJournalGrowsAndSurvivesACutLine) {
  const std::string path = base_ + ".partial";
  for (std::size_t i = 0; i < 3; ++i) {
    Result<ResultJournal> journal = ResultJournal::open(path);
    ASSERT_TRUE(journal);
    ASSERT_TRUE(journal->add(std::span(table_.rows).subspan(i, 1)));
  }
  EXPECT_EQ(ResultTable::read(path)->rows, table_.rows);
  const auto size = std::filesystem::file_size(path);
  for (std::uintmax_t cut = 1; cut < 30; ++cut) {
    std::filesystem::resize_file(path, size - cut);
    const Result<ResultTable> read = ResultTable::read(path);
    ASSERT_TRUE(read) << cut << ": " << read.error().message;
    EXPECT_EQ(read->rows.size(), 2u) << cut;
  }
}

TEST_F(ResultFiles, OtherTablesAreRefused) {
  const std::string path = base_ + ".csv";
  std::ofstream(path) << "a,b\n1,2\n";
  EXPECT_EQ(ResultTable::read(path).error().failure, Failure::bad_input);
  std::ofstream(path) << to_csv(table_.rows, true) << "one,two\n" << to_csv(table_.rows, false);
  EXPECT_NE(ResultTable::read(path).error().message.find("row 5"), std::string::npos);
  std::ofstream(base_ + ".parquet") << "no parquet";
  EXPECT_EQ(ResultTable::read(base_ + ".parquet").error().failure, Failure::bad_input);
  EXPECT_FALSE(ResultTable::read(base_ + ".nothing"));
}

}  // namespace
}  // namespace stopover
