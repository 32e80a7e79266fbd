// SmallTable: a small table as texts, as it stands in a CSV file; for files that are read once and looked at by hand.
//
//   Result<SmallTable> table = csv_texts(*duck, "totals.csv", true, 100'000);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "duck/duck.h"

namespace stopover {

struct SmallTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // what is missing is ""
};

// The first `most` rows of a query without LIMIT. Fails as DuckSession does. REQUIRES: every column is a text.
Result<SmallTable> text_rows(DuckSession& duck, const std::string& sql, std::size_t most);

// The first `most` rows of a CSV file, of which the separator is looked for in the first line (, ; tab |) and nothing
// else is guessed; quotes are doubled inside quotes. Also packed, as .gz or .zst. Fails as DuckSession does.
Result<SmallTable> csv_texts(DuckSession& duck, const std::string& path, bool header, std::size_t most);

}  // namespace stopover
