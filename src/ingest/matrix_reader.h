// read_matrix: a table of cell indices on disk becomes the secret matrix.
//
// A row is a cell: one column per axis, named as the axis is (a0, a1, ... for a bare matrix), in any order, other
// columns ignored. Rows may repeat. With a column `count` a row stands for that many trips, without it for one.
//
// Two kinds of wrong. What is wrong with the table as a whole (no such file, no such column, a truncated file, a column
// that holds no numbers) is an error, told before any budget is reserved. What is wrong with a row costs that row
// alone: it is dropped and counted, and the run goes on, since "it failed because of record r" would be a leak. The
// numbers of dropped rows are private: for the curator's eyes (stderr, prefixed `private:`), never for the release.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "domain/domain.h"
#include "ingest/dropped_rows.h"
#include "ingest/text_form.h"
#include "matrix/matrix.h"

namespace stopover {

struct MatrixRead {
  Matrix matrix;
  DroppedRows dropped;
  // Columns that look like axes the domain does not have (a4 for a shape of four axes): ignored, but worth a note.
  std::vector<std::string> unused_axes;
};

struct ReadOptions {
  unsigned threads = 0;                                      // DEFAULT: 0, all the machine's
  std::function<bool()> interrupted = [] { return false; };  // asked now and then; true ends it (Failure::interrupted)
  // Only rows whose column `stops` holds this number: one part of a cells file (Parquet) with several.
  std::optional<std::uint32_t> stops = std::nullopt;
  TextForm form = {};  // of a CSV file
};

// The files that a name stands for: itself where it is one, else those that its wildcards (* ? [...]) match, in order.
// Fails (bad_input) where there is none.
Result<std::vector<std::string>> cell_files(const std::string& name);

// Reads NAME.csv, NAME.csv.gz or NAME.parquet; of Parquet also several files (cell_files). All errors of the file are
// Failure::bad_input. Memory is O(distinct cells) beyond a fixed number of rows.
Result<MatrixRead> read_matrix(const std::string& path, const Domain& domain, const ReadOptions& options = {});

}  // namespace stopover
