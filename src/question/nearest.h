// "Did you mean": the names nearest to one that does not exist.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stopover {

// " Did you mean X or Y?", at most three, upper and lower case alike; "" when none is near.
std::string did_you_mean(std::string_view name, std::span<const std::string> names);
// "a, b, c, ... (300 in all)"
std::string list_names(std::span<const std::string> names);

}  // namespace stopover
