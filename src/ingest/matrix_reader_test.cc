#include "ingest/matrix_reader.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "duck/duck.h"
#include "ingest/csv_lines.h"

namespace stopover {
namespace {

class MatrixReaderTest : public testing::Test {
 protected:
  MatrixReaderTest() {
    std::string folder = testing::TempDir() + "stopover-reader-XXXXXX";
    folder_ = mkdtemp(folder.data());
  }
  ~MatrixReaderTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string write_gzip(const std::string& name, std::string_view bytes) const {
    gzFile file = gzopen(path(name).c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return path(name);
  }
  std::string write_parquet(const std::string& name, const std::string& select) const {
    Result<DuckSession> duck = DuckSession::open();
    const Status done = duck->run("COPY (" + select + ") TO " + quote_output(path(name)) + " (FORMAT parquet)");
    EXPECT_TRUE(done) << done.error().message;
    return path(name);
  }
  std::string folder_;
};

Domain shape(const std::vector<std::uint64_t>& widths) { return *Domain::of_shape(widths); }

// "0,1:2 3,3:1": the cells with their counts.
std::string contents(const Matrix& matrix) {
  std::string text;
  for (std::size_t i = 0; i < matrix.keys().size(); ++i) {
    if (i > 0) text.append(" ");
    for (std::size_t a = 0; a < matrix.domain().d(); ++a) {
      if (a > 0) text.append(",");
      text.append(std::to_string(matrix.keys_of_axes().cell(matrix.keys()[i], a)));
    }
    text.append(":").append(std::to_string(matrix.counts()[i]));
  }
  return text;
}

std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST_F(MatrixReaderTest, ColumnsInAnyOrderRowsRepeatOthersAreIgnored) {
  const std::string file = write("m.csv", "name,a1,a0\n\"a, b\",1,0\n\"say \"\"hi\"\"\",3,3\nx,1,0\n");
  Result<MatrixRead> read = read_matrix(file, shape({4, 4}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(contents(read->matrix), "0,1:2 3,3:1");
  EXPECT_EQ(read->dropped.total(), 0U);
}

TEST_F(MatrixReaderTest, CountsAddUpInEveryFormat) {
  const std::string csv =
      "\xef\xbb\xbf"
      "a0,count,a1\r\n0,5,1\r\n0,7,1\r\n3.0,0,3\r\n2, 1 ,2";
  const std::string expected = "0,1:12 2,2:1";
  for (const std::string& file : {write("m.csv", csv), write_gzip("m.csv.gz", csv),
                                  write_parquet("m.parquet",
                                                "SELECT * FROM (VALUES (0,5,1),(0,7,1),(3,0,3),(2,1,2)) "
                                                "t(a0,count,a1)")}) {
    Result<MatrixRead> read = read_matrix(file, shape({4, 4}));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(contents(read->matrix), expected) << file;
    EXPECT_EQ(read->dropped.total(), 0U) << file;
  }
}

TEST_F(MatrixReaderTest, BadRowsAreDroppedAndCounted) {
  const std::string file = write("m.csv",
                                 "a0,a1,count\n"
                                 "1,1,1\n"                                                     // good
                                 "4,1,1\n-1,1,1\n1.5,1,1\n,1,1\nx,1,1\n1,nan,1\n1\n1e0,1,1\n"  // 8 outside
                                 "99999999999999999999999,1,1\n"                               // and 1 more
                                 "1,1,-1\n1,1,0.5\n1,1,\n1,1\n1,1,1099511627777\n1,1,inf\n"    // 6 bad counts
                                 "1,1,1,1\n\"1,1,1\n1,\"1\"x,1\n"                              // 3 unreadable
                                 "1,1,1099511627776\n");                                       // good: 2^40
  Result<MatrixRead> read = read_matrix(file, shape({4, 4}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(contents(read->matrix), "1,1:1099511627777");
  EXPECT_EQ(read->dropped.text(), "dropped 18 rows (9 outside the shape, 6 bad count, 3 unreadable)");
  EXPECT_EQ((DroppedRows{2, 1, 0}.text()), "dropped 3 rows (2 outside the shape, 1 bad count)");
  EXPECT_EQ((DroppedRows{0, 1, 0}.text()), "dropped 1 row (1 bad count)");
}

TEST_F(MatrixReaderTest, ParquetColumnsOfAnyNumberType) {
  const std::string file = write_parquet("m.parquet",
                                         "SELECT a0::DOUBLE a0, a1::VARCHAR a1, c::DECIMAL(18,2) count FROM (VALUES "
                                         "(1.0,'2',3), (1.5,'2',3), ('nan','2',3), "
                                         "(1,'2.0',4), (1,'x',4), (1,'2',0.5), (NULL,'2',1), (1,'2',NULL), "
                                         "('inf','1',1), (-1,'1',1), (1e30,'1',1)) t(a0,a1,c)");
  Result<MatrixRead> read = read_matrix(file, shape({4, 4}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(contents(read->matrix), "1,2:7");
  EXPECT_EQ(read->dropped.text(), "dropped 9 rows (7 outside the shape, 2 bad count)");
  const std::string huge =
      write_parquet("h.parquet", "SELECT 18446744073709551615::UBIGINT a0, 1::TINYINT count UNION ALL SELECT 3, 1");
  read = read_matrix(huge, shape({4}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(contents(read->matrix), "3:1");
}

TEST_F(MatrixReaderTest, OneBadRowCostsNoOther) {
  std::mt19937 random(7);  // NOLINT: a fixed sequence
  const std::vector<std::string> pieces = {
      "\r",   "\n", "\"", "'",    ",", std::string(1, '\0'), "\xff", "\xc3", "1",
      "a",    "\\", " ",  "\x1f", "#", "\xef\xbb\xbf",       "\r\n", "\n\r", "\"\"",
      "\",\""};
  for (int round = 0; round < 60; ++round) {
    const std::string end = round % 2 == 0 ? "\n" : "\r\n";
    std::string text = "a0,a1" + end;
    const auto at = static_cast<unsigned>(random() % 300);
    for (unsigned i = 0; i < 300; ++i) {
      text.append(std::to_string(i)).append(",0").append(end);
      if (i != at) continue;
      for (unsigned n = 1U << random() % 12; n > 0; --n) text += pieces[random() % pieces.size()];
      text += end;
    }
    Result<MatrixRead> read = read_matrix(write("m.csv", text), shape({300, 1}));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->matrix.keys().size(), 300U) << round;
  }
}

TEST_F(MatrixReaderTest, AVeryLongRowCostsNoOther) {
  for (const std::size_t size : {CsvLines::kLongestLine - 10, CsvLines::kLongestLine + 10, 3 * CsvLines::kLongestLine,
                                 7 * CsvLines::kLongestLine + 3}) {
    const std::string file = write("m.csv", "a0\n0\n" + std::string(size, '1') + "\n1\n2\n");
    Result<MatrixRead> read = read_matrix(file, shape({3}));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(contents(read->matrix), "0:1 1:1 2:1");
    EXPECT_EQ(read->dropped.total(), 1U);
    EXPECT_EQ(read->dropped.unreadable, size > CsvLines::kLongestLine ? 1U : 0U);
  }
  const std::string last = write("m.csv", "a0\n0\n" + std::string(3 * CsvLines::kLongestLine, '1'));
  EXPECT_EQ(read_matrix(last, shape({3}))->dropped.unreadable, 1U);
}

TEST_F(MatrixReaderTest, StructuralFaultsNameTheFileAndTheColumns) {
  const auto message = [](const Result<MatrixRead>& read) {
    EXPECT_FALSE(read);
    EXPECT_EQ(read.error().failure, Failure::bad_input);
    return read.error().message;
  };
  const Domain domain = shape({4, 4, 4});
  const std::string csv = write("m.csv", "a0,b1,c2\n1,1,1\n");
  EXPECT_NE(message(read_matrix(csv, domain)).find("m.csv has no column a1, a2"), std::string::npos);
  EXPECT_NE(message(read_matrix(csv, domain)).find("Columns found: a0, b1, c2"), std::string::npos);
  const std::string parquet = write_parquet("m.parquet", "SELECT 1 AS a0, 2 AS b");
  EXPECT_NE(message(read_matrix(parquet, domain)).find("m.parquet has no column a1, a2"), std::string::npos);
  EXPECT_NE(message(read_matrix(write("e.csv", ""), domain)).find("e.csv is empty"), std::string::npos);
  EXPECT_NE(message(read_matrix(write("t.csv", "a0,a1,a0,a2\n"), domain)).find("two columns named a0"),
            std::string::npos);
  EXPECT_NE(message(read_matrix(path("none.csv"), domain)).find("none.csv"), std::string::npos);
  EXPECT_NE(message(read_matrix(path("none.parquet"), domain)).find("none.parquet"), std::string::npos);
  EXPECT_NE(message(read_matrix(folder_ + "/", domain)).find(".csv.gz or .parquet"), std::string::npos);
  std::filesystem::create_directory(path("d.csv"));
  EXPECT_NE(message(read_matrix(path("d.csv"), domain)).find("folder"), std::string::npos);
  const std::string dates = write_parquet("d.parquet", "SELECT DATE '2020-01-01' AS a0");
  EXPECT_NE(message(read_matrix(dates, shape({4}))).find("column a0 of"), std::string::npos);
}

TEST_F(MatrixReaderTest, TruncatedFilesAreRefused) {
  const std::string whole = read_text(write_parquet("m.parquet", "SELECT (i % 7)::INTEGER a0 FROM range(100000) t(i)"));
  for (const std::size_t keep : {std::size_t{0}, std::size_t{3}, whole.size() / 2, whole.size() - 1}) {
    const Result<MatrixRead> read = read_matrix(write("cut.parquet", whole.substr(0, keep)), shape({7}));
    ASSERT_FALSE(read) << keep;
    EXPECT_EQ(read.error().failure, Failure::bad_input);
    EXPECT_NE(read.error().message.find("cut.parquet"), std::string::npos);
  }
  std::string rows = "a0\n";
  for (int i = 0; i < 100000; ++i) rows += std::to_string(i * 7919 % 1000) + "\n";
  const std::string zipped = read_text(write_gzip("m.csv.gz", rows));
  EXPECT_TRUE(read_matrix(write("m.csv.gz", zipped), shape({1000})));
  for (const std::size_t keep : {zipped.size() / 2, zipped.size() - 1}) {
    EXPECT_FALSE(read_matrix(write("cut.csv.gz", zipped.substr(0, keep)), shape({1000}))) << keep;
  }
  std::string damaged = zipped;
  damaged[zipped.size() - 6] = static_cast<char>(damaged[zipped.size() - 6] ^ 1);  // its checksum
  EXPECT_FALSE(read_matrix(write("bad.csv.gz", damaged), shape({1000})));
}

TEST_F(MatrixReaderTest, MemoryFollowsTheDistinctCells) {
  const std::string file = write_parquet("m.parquet", "SELECT (i % 1000)::INTEGER a0 FROM range(9000000) t(i)");
  Result<MatrixRead> read = read_matrix(file, shape({1000}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->matrix.keys().size(), 1000U);
  EXPECT_EQ(read->matrix.total(), 9000000U);
}

TEST_F(MatrixReaderTest, HeaderAloneIsAnEmptyMatrixAndUnusedAxesAreTold) {
  Result<MatrixRead> read = read_matrix(write("m.csv", "a0,a1,a2,age\n"), shape({4, 4}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->matrix.keys().empty());
  EXPECT_EQ(read->unused_axes, std::vector<std::string>{"a2"});
}

}  // namespace
}  // namespace stopover
