// split: the parts of a list that one types, as in "0.1,0.5,1".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stopover {

// One part more than there are separators: an empty text is one empty part.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace stopover
