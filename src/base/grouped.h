// Whole numbers for people.
#pragma once

#include <cstdint>
#include <string>

namespace stopover {

// 1,234,567
inline std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

}  // namespace stopover
