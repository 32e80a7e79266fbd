// Lines: takes a fuzzer's bytes apart at newlines, one line a call; `rest` is what was not taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stopover {

struct Lines {
  std::string_view rest;

  Lines(const std::uint8_t* data, std::size_t size) : rest(reinterpret_cast<const char*>(data), size) {}
  std::string_view next() {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
  }
};

}  // namespace stopover
