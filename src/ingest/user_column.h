// Which columns look as if they said who somebody is. The one list of such names, for the question "who is to be
// protected?".
//
// By names alone, never by values: what a row holds must not decide whether a run is refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stopover {

// "uid", "user_id", "User ID", "riderId", "card-id", ...: letter case and everything but letters and digits do not
// matter.
bool looks_like_user(std::string_view column);

// The first of them that does.
std::optional<std::string> find_user_column(const std::vector<std::string>& columns);

}  // namespace stopover
