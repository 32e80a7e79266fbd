// Numbers from texts. `field` names the value in errors, as between the back quotes of base/field_words.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace stopover {

// A whole number from min to max. Fails (usage).
Result<std::uint64_t> parse_whole_number(std::string_view field, std::string_view text, std::uint64_t min,
                                         std::uint64_t max);
// A finite decimal. Fails (usage).
Result<double> parse_decimal(std::string_view field, std::string_view text);

}  // namespace stopover
