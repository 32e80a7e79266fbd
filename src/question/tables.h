// The questions whose answer is a table: share, top, given, matrix, totals. Internal to this room.
#pragma once

#include "query/query_engine.h"
#include "question/reply.h"
#include "question/request.h"

namespace stopover {

// REQUIRES: request.ask is not count.
Result<Reply> table_of(const QueryEngine& engine, const Request& request);

// The same of two releases, row by row: top (the rows that differ most), matrix, totals. Fails (usage) for others, and
// where the two are not divided alike. A release and itself may be compared. Notes are the tables' own.
Result<Reply> compared_tables(const QueryEngine& engine, const Request& request, const QueryEngine& other,
                              const Request& there);

}  // namespace stopover
