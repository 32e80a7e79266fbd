#include "duck/cell_table.h"

#include <fmt/format.h>

#include "base/disk_full.h"
#include "duck/duck.h"

namespace stopover {

Result<TableFormat> table_format(const std::string& path) {
  if (path.ends_with(".csv")) return TableFormat::csv;
  if (path.ends_with(".parquet")) return TableFormat::parquet;
  return Error{Failure::usage, fmt::format("cannot tell how to write {}\n  Name it .parquet or .csv.", path)};
}

Status write_cell_table(const std::string& path, TableFormat format, const std::vector<std::string>& names,
                        const std::vector<std::vector<std::uint32_t>>& columns, unsigned threads) {
  STOPOVER_CHECK(names.size() == columns.size() && !columns.empty(), "a table has one name a column");
  Result<DuckSession> duck = DuckSession::open({.threads = threads, .memory_limit = ""});
  if (!duck) return duck.error();
  std::vector<DuckColumn> loaded;
  for (std::size_t i = 0; i < columns.size(); ++i) loaded.push_back(DuckColumn::of(names[i], columns[i]));
  if (Status s = duck->load("cells", loaded, columns[0].size()); !s) return s;
  const std::string_view how = format == TableFormat::csv ? "FORMAT csv, HEADER" : "FORMAT parquet, COMPRESSION zstd";
  const Status written = duck->run(fmt::format("COPY cells TO {} ({})", quote_output(path), how));
  if (written) return {};
  return passed_on(written.error(),
                   {Failure::bad_input, fmt::format("cannot write {}\n  {}", path, written.error().message)});
}

}  // namespace stopover
