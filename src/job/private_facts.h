// True figures in words, for the curator alone.
#pragma once

#include <string>
#include <vector>

#include "ingest/ingest.h"

namespace stopover {

// Lines such as "3 rows outside the box", for Observer::private_note; at least one, how many rows were read. `all`:
// also what there was none of.
std::vector<std::string> fact_lines(const PrivateFacts& facts, bool all);

// {"rows_read": 270, ...} as JSON text.
std::string facts_json(const PrivateFacts& facts);

}  // namespace stopover
