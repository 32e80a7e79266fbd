// CellRowReader: Parquet files of cell indices, read as often as one wants, a batch of rows at a time.
//
// What a row must hold, and what is wrong with a file or with a row, is the same as for read_matrix
// (matrix_reader.h), which reads through this. SECRET: what it gives are true rows.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/domain.h"
#include "duck/duck.h"
#include "ingest/dropped_rows.h"
#include "matrix/tally.h"

namespace stopover {

// 7, 7.0 and " 7" are 7; what is not a whole number from 0 is nothing. Too many digits are the largest number.
std::optional<std::uint64_t> parse_whole(std::string_view text);

// Where the axes and the count are among the columns of a table.
struct CellColumns {
  std::vector<std::size_t> axes;
  std::optional<std::size_t> count;
  std::vector<std::string> unused_axes;
};
Result<CellColumns> find_cell_columns(const std::string& path, const Domain& domain,
                                      const std::vector<std::string>& names);

struct CellRowOptions {
  unsigned threads = 0;      // of DuckDB; DEFAULT: 0, all the machine's
  std::string memory_limit;  // of DuckDB; DEFAULT: its own
  std::function<bool()> interrupted = [] { return false; };
  // Only rows whose column `stops` holds this number: one part of cells files with several.
  std::optional<std::uint32_t> stops = std::nullopt;
};

class CellRowReader {
 public:
  // Looks at the files' columns. All files must have those of the first. Fails (bad_input).
  static Result<CellRowReader> open(const std::vector<std::string>& paths, const Domain& domain,
                                    const CellRowOptions& options);

  const std::vector<std::string>& unused_axes() const { return columns_.unused_axes; }
  // Whether an axis or the count is a column of texts.
  bool has_texts() const { return has_texts_; }
  // Every good row once, in the files' order; the spans are gone after the call. `dropped`: how many were not good.
  Status each(const std::function<void(const CellRows&)>& take, DroppedRows& dropped) const;

 private:
  CellRowReader(const Domain& domain, CellRowOptions options) : domain_(domain), options_(std::move(options)) {}
  Result<DuckSession> session() const;

  std::string name_;  // for messages
  Domain domain_;
  CellRowOptions options_;
  CellColumns columns_;
  std::string sql_;
  bool has_texts_ = false;
};

}  // namespace stopover
