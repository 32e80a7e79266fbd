// What the columns of a source look like, before anything is declared: names, types and the patterns of their first
// values.
//
// A pattern shows how a value is written, not what it is: "u1234" is a9999 and "37.7749" is 99.9999. SECRET all the
// same, for the curator's screen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/ingest.h"
#include "ingest/source.h"

namespace stopover {

// Digits become 9, letters a or A, letters beyond ASCII x, control characters ?; other signs stay. Cut at 28
// characters.
std::string value_shape(std::string_view value);

struct ColumnShape {
  std::string name;
  std::string type;                 // DuckDB's; VARCHAR for text files
  std::vector<std::string> shapes;  // of the first values, each once, at most three; of what is missing "(none)"
};

// Looks at the first rows, at most 100. Of JSON lines the columns are those that the first lines name.
Result<std::vector<ColumnShape>> column_shapes(const SourceRequest& source, const IngestOptions& options);

}  // namespace stopover
