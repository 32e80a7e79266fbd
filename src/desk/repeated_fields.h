// Lists of a job that one types an item at a time; all others are typed as one text with commas.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace stopover {

inline constexpr std::array<std::string_view, 5> kRepeatedFields = {"points", "axes", "trip_axes", "witnesses",
                                                                    "params"};
// Lists that stand in one text.
inline constexpr std::array<std::string_view, 2> kJoinedFields = {"zone_columns", "levels"};

inline bool is_repeated(std::string_view field) {
  return std::find(kRepeatedFields.begin(), kRepeatedFields.end(), field) != kRepeatedFields.end();
}
inline bool is_joined(std::string_view field) {
  return std::find(kJoinedFields.begin(), kJoinedFields.end(), field) != kJoinedFields.end();
}

}  // namespace stopover
