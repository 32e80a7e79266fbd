// The name of JSON, for headers: json.h has the thing itself.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace stopover {

using Json = nlohmann::ordered_json;

}  // namespace stopover
