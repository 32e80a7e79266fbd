// One table as one Parquet file, a row per box, readable by anything that reads Parquet.
//
// Columns, in this order: for each axis of the table `<axis>_lo`, `<axis>_hi` (UINTEGER, half-open cells) and, unless
// the axis has labels, the same in coordinates `<axis>_from`, `<axis>_to` (DOUBLE); then `parent` (INTEGER, row number
// from 0, -1 for a root), `depth` (USMALLINT), `leaf` (BOOLEAN), `count` (BIGINT), `ticks`, `side_ticks` (UBIGINT),
// `noise_scale` (DOUBLE, 1e9 k/ticks, NULL where not measured), `estimate` (DOUBLE); then what only some tables have,
// `spread` (FLOAT), `coarse_count` (BIGINT) and `coarse_ticks` (UBIGINT). Rows stand in the table's order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "duck/duck.h"
#include "release/release.h"

namespace stopover {

struct FileColumn {
  std::string name;
  duckdb_type type;
};

// Which columns a table has besides those that all have.
struct MoreColumns {
  bool spread = false, coarse = false;
  static MoreColumns of(const Table& table) { return {!table.spread.empty(), !table.coarse_ticks.empty()}; }
};

// The columns of the file of a table, in their order.
std::vector<FileColumn> table_columns(const Table& table, const Domain& domain, MoreColumns more);

// The same table gives the same bytes (with the same DuckDB), whatever the threads. Fails: usage on axis names that
// differ in case only, internal when the file cannot be written. REQUIRES: check_release's rules about columns.
Status write_table(DuckSession& duck, const Table& table, const Domain& domain, std::uint32_t k,
                   const std::string& path);

// Which columns are read. All must be there.
enum class Reading {
  every_column,  // those that follow from others are compared with them
  own_columns,   // those that the content hash is about, half of the bytes: what answers need; of at most 2^24 rows
};

// Fills the columns of `table`, whose name and axes are set. Fails (bad_input) when the file cannot be read, has other
// columns, NULLs where none may be, not exactly `rows` rows, or columns that were read and do not follow from the
// others.
Status read_table(DuckSession& duck, Table& table, const Domain& domain, std::uint32_t k, std::uint64_t rows,
                  const std::string& path, Reading reading);

}  // namespace stopover
