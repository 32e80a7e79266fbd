// "Did you mean": the names nearest to one that does not exist.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace stopover {

// How many letters must be put in, left out or changed to make the one of the other (Levenshtein 1966); upper and lower
// case alike.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The one that differs least, else the shortest that begins with it; "" when none is near.
std::string nearest(std::string_view name, std::span<const std::string> names);
// " Did you mean X or Y?", at most `most`; "" when none is near.
std::string did_you_mean(std::string_view name, std::span<const std::string> names, std::size_t most = 3);
// "a, b, c, ... (300 in all)"
std::string list_names(std::span<const std::string> names);

}  // namespace stopover
