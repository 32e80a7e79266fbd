// run_cells: rows to a private file of cells, on DuckDB or Spark.
#pragma once

#include <string>

#include "base/result.h"
#include "ingest/ingest.h"
#include "job/observer.h"
#include "job/rows_spec.h"

namespace stopover {

struct CellsSpec {
  RowsSpec rows;
  std::string output;  // NAME.parquet
  bool overwrite = false;
  SqlDialect::Engine engine = SqlDialect::Engine::duckdb;
  std::string spark_master = "local[*]";
};

// From the fields of a face. Fails (usage, privacy).
Result<CellsSpec> read_cells(const FieldValues& values);

struct CellsMade {
  std::string output;
  std::vector<TripPart> parts;
  UnitSpec unit;

  // {"file": ..., "shape": ..., "unit": ..., "k": ..., "private": true}
  std::string json() const;
};

// Tells the curator what was left out.
Result<CellsMade> run_cells(const CellsSpec& spec, const Observer& observer);

// The steps that run_cells would follow, as SQL to read, or as JSON with its source. Runs nothing.
Result<std::string> explain_cells(const CellsSpec& spec, bool json, const Observer& observer);

// For an engine of the caller's own: cells that it wrote as Parquet files into a folder become the file.
Result<CellsMade> adopt_cells(const CellsSpec& spec, const std::string& folder, const Observer& observer);

}  // namespace stopover
