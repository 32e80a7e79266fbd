// The questions whose answer is a table: share, top, given, matrix, totals. Internal to this room.
#pragma once

#include "query/query_engine.h"
#include "question/json.h"
#include "question/request.h"

namespace stopover {

// REQUIRES: request.ask is not count.
Result<Json> table_of(const QueryEngine& engine, const Request& request);

}  // namespace stopover
