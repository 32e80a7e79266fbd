// The questions whose answer is a table: share, top, given, matrix, totals. Internal to this room.
#pragma once

#include "query/query_engine.h"
#include "question/reply.h"
#include "question/request.h"

namespace stopover {

// REQUIRES: request.ask is not count.
Result<Reply> table_of(const QueryEngine& engine, const Request& request);

}  // namespace stopover
