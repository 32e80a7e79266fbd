// Results of experiments as one long table: data, mechanism, epsilon, workload, rep, metric, value.
//
// SECRET wherever the data is real: whoever writes it says `private` in the data's name and, in Parquet, in its
// metadata.
//
//   Result<ResultTable> table = ResultTable::read("out.parquet");
//   ResultJournal journal = *ResultJournal::open("out.parquet.partial");       // rows reach the disk run by run
//   journal.add(rows);
//   table->write("out.parquet", "private");
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "disk/write_file.h"

namespace stopover {

// What a row that belongs to the whole run, not to one workload, has as workload.
inline constexpr const char* kNoWorkload = "-";

struct ResultRow {
  std::string data;
  std::string mechanism;  // with its parameters where given: daf-entropy:stop=2
  std::string epsilon;    // as format_epsilon writes it
  std::string workload;
  std::uint32_t rep = 0;
  std::string metric;
  double value = 0;

  bool operator==(const ResultRow&) const = default;
};

struct ResultTable {
  std::vector<ResultRow> rows;

  // By extension: .parquet, or CSV else. A last line that is cut off (a journal whose writer was killed) is left out.
  // Fails (bad_input) on a file that is not such a table.
  static Result<ResultTable> read(const std::string& path);
  // Written beside and renamed, so that the file is there whole or as it was. `mark` goes into Parquet's metadata under
  // "stopover". Fails (bad_input) when it cannot be written.
  // `readers`: owner for what was measured on true counts.
  Status write(const std::string& path, const std::string& mark, Readers readers = Readers::usual) const;
};

std::string to_csv(std::span<const ResultRow> rows, bool header);

// Appends rows to a CSV file and hands them to the system before it returns.
class ResultJournal {
 public:
  // Makes the file if it is not there; begins after what is there.
  static Result<ResultJournal> open(const std::string& path);
  Status add(std::span<const ResultRow> rows);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  ResultJournal(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace stopover
