// TextTable: rows of texts out of CSV files or files of JSON lines, for DuckDB to work on.
//
// A row is a line, judged by itself (see csv_lines.h). Unreadable, and skipped: a line of more than 1 MiB, one that is
// not UTF-8 (or in the encoding that was declared for it) or holds a zero byte, a CSV line with an unclosed quote or
// more fields than the header, a JSON line that is not one object, or has more than 64 opening brackets. A field that
// is not there is missing; so is a JSON value that is null, a list or an object. Numbers and true/false of JSON become
// their texts, as written. A byte order mark is taken off a CSV file's header, and off every JSON line: off the first
// one alone, whose line is first would matter.
//
//   Result<TextTable> table = TextTable::describe({"trips.csv.gz"}, TextFormat::csv);     // reads the headers
//   Result<std::unique_ptr<TextRows>> rows = table->open({"uid", "lat"}, counts);
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "duck/duck_functions.h"
#include "ingest/text_form.h"

namespace stopover {

enum class TextFormat { csv, json_lines };

// SECRET: what was seen in the lines. `unreadable` ones were no rows; of those, which are not UTF-8 and what they look
// like. `odd_quotes`: CSV lines of clean text with an odd number of double quotes. A field that runs over several lines
// opens in such a line and closes in another, and all of them, and those between, were taken as rows.
struct LineCounts {
  std::atomic<std::uint64_t> unreadable = 0, odd_quotes = 0, not_utf8 = 0, like_latin1 = 0, like_windows1252 = 0;

  void clear() { unreadable = odd_quotes = not_utf8 = like_latin1 = like_windows1252 = 0; }
  // A line that is not a row.
  void skip(std::string_view line);
};

class TextTable {
 public:
  // Fails (bad_input) on a file that cannot be opened, or (CSV) whose first line is missing, is not a list of columns
  // or differs from the first file's. A file of JSON lines may be empty: one without its last user would be, too.
  // REQUIRES: at least one path; JSON lines have the usual form.
  static Result<TextTable> describe(std::vector<std::string> paths, TextFormat format, const TextForm& form = {});

  TextFormat format() const { return format_; }
  const TextForm& form() const { return form_; }
  const std::vector<std::string>& paths() const { return paths_; }
  // CSV: of the header. JSON lines: none; any name may be asked for.
  const std::vector<std::string>& columns() const { return columns_; }
  // Where a column is in a CSV line; -1 when it is not.
  int index_of(const std::string& column) const;

  // REQUIRES: CSV columns that exist; the counts outlive the rows.
  Result<std::unique_ptr<TextRows>> open(const std::vector<std::string>& columns, LineCounts& counts) const;

 private:
  TextFormat format_ = TextFormat::csv;
  TextForm form_;
  std::vector<std::string> paths_, columns_;
};

// The texts of some members of one JSON object; false when the line is unreadable. `texts` holds what `row` points to.
bool split_json(std::string_view line, const std::vector<std::string>& names, std::vector<std::string>& texts,
                std::vector<std::optional<std::string_view>>& row);

}  // namespace stopover
