// Draft: what a curator has declared so far, kept as a settings file that the command line takes as well
// (publish --config NAME.toml). Declared values alone; nothing of the data.
//
//   [publish]
//   epsilon = "0.5"
//   point = ["start_lat,start_lon", "end_lat,end_lon"]
//   [plan]
//   n = "300000"
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "geo/json_fwd.h"

namespace stopover {

// {"publish": {FIELD: text, truth or list of texts}, "plan": {...}}. Numbers become texts. Fails (usage) on anything
// else.
Result<std::string> draft_toml(const Json& draft);
// The other way round. Fails (bad_input) on what is not TOML or no draft.
Result<Json> draft_json(std::string_view toml);

}  // namespace stopover
