// write_cell_table: a table of cell indices to a file that read_matrix takes back. For synthetic data; what it writes
// is as secret as what it is given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace stopover {

enum class TableFormat { csv, parquet };

// By the name's ending; fails (usage) on any other than .csv and .parquet.
Result<TableFormat> table_format(const std::string& path);

// One row per trip, in the given order; the file is made or replaced. The same rows give the same bytes.
// REQUIRES: as many names as columns, all columns equally long.
Status write_cell_table(const std::string& path, TableFormat format, const std::vector<std::string>& names,
                        const std::vector<std::vector<std::uint32_t>>& columns, unsigned threads = 0);

}  // namespace stopover
