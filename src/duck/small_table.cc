#include "duck/small_table.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace stopover {
namespace {

// The sign between columns: which of the usual ones stands most often in the first line, outside quotes. DuckDB would
// guess it from all rows, and with it quotes, comments and lines to skip: a name with an apostrophe could mislead it.
char separator_in(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string line;
  std::getline(in, line);
  constexpr std::string_view kUsual = ",;\t|";
  std::array<int, kUsual.size()> seen{};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    const std::size_t which = kUsual.find(c);
    if (!quoted && which != std::string_view::npos) ++seen[which];
  }
  return kUsual[static_cast<std::size_t>(std::max_element(seen.begin(), seen.end()) - seen.begin())];
}

}  // namespace

Result<SmallTable> text_rows(DuckSession& duck, const std::string& sql, std::size_t most) {
  Result<DuckRows> rows = duck.query(sql + " LIMIT " + std::to_string(most));
  if (!rows) return rows.error();
  SmallTable table;
  for (std::size_t c = 0; c < rows->columns(); ++c) table.columns.push_back(rows->name(c));
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.error();
    if (!*more) return table;
    for (std::size_t r = 0; r < rows->size(); ++r) {
      std::vector<std::string>& row = table.rows.emplace_back(rows->columns());
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (rows->valid(c, r)) row[c] = rows->text(c, r);
      }
    }
  }
}

Result<SmallTable> csv_texts(DuckSession& duck, const std::string& path, bool header, std::size_t most) {
  const bool packed = path.ends_with(".gz") || path.ends_with(".zst");
  const std::string delim = packed ? "" : "delim = " + quote_literal(std::string(1, separator_in(path))) + ", ";
  return text_rows(
      duck,
      "SELECT * FROM read_csv(" + quote_input(path) + ", all_varchar = true, hive_partitioning = false, " + delim +
          "quote = '\"', escape = '\"', comment = '', skip = 0, header = " + (header ? "true" : "false") + ")",
      most);
}

}  // namespace stopover
