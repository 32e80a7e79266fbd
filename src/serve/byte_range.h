// ByteRange: the part of a file that a Range header asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stopover {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t length = 0;

  bool operator==(const ByteRange&) const = default;
};

// "bytes=100-199", "bytes=100-", "bytes=-50" of a file of `size` bytes; what lies beyond its end is cut off. Nothing
// for a part that has no byte, for several parts and for anything else. Promises: length > 0 and first + length <=
// size.
std::optional<ByteRange> parse_byte_range(std::string_view header, std::uint64_t size);

}  // namespace stopover
