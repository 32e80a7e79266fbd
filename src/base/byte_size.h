// How much memory somebody allows: "4GB" or "500MB", in thousands of thousands.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace stopover {

inline constexpr std::uint64_t kMegabyte = 1'000'000;

// In bytes, below 2^60. Fails (usage), naming the field `memory_limit`.
Result<std::uint64_t> parse_bytes(const std::string& text);

}  // namespace stopover
