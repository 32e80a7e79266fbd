// A page of true figures that a curator asked for: on stdout, with every line marked, so that none of it is taken for a result.
//
//   private: 270 rows read
//   private: 90 usable trips
#pragma once

#include <string>
#include <string_view>

#include "ingest/ingest.h"

namespace stopover {

// `text` with "private: " before every line.
std::string private_page(std::string_view text);

// {"rows_read": 270, ...} as JSON text.
std::string facts_json(const PrivateFacts& facts);

}  // namespace stopover
