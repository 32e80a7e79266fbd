// A condition on a row: what stands behind WHERE, over columns of the source, in DuckDB's SQL.
//
//   fare > 0 AND kind IN ('bike', 'scooter') AND hour(started) BETWEEN 6 AND 9    in CSV and JSON a column is a text:
//   CAST(fare AS DOUBLE) > 0
//
// It looks at one row and nothing else: no subquery, no aggregate, no window, and of functions those of a list (of
// numbers, texts, times), none of which makes more of a row's value than stands in the condition: lpad(kind, fare, ' ')
// would let one row use up memory and end the run. What LIKE and regular expressions look for is written there. So
// whether a row counts follows from that row alone, and the stability lemma of privacy/AUDIT.md holds as without it.
// Where it cannot be worked out for a row ("abc" as a number), the row is dropped; the run goes on.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "duck/duck.h"

namespace stopover {

// The columns that it reads, each once; none of an empty one. Fails (usage) on what is no such condition.
Result<std::vector<std::string>> columns_of_condition(DuckSession& duck, const std::string& text);

}  // namespace stopover
