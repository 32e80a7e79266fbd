// DroppedRows: how many rows of a table of cells were not used, and why. SECRET: for the curator's eyes.
#pragma once

#include <cstdint>
#include <string>

namespace stopover {

struct DroppedRows {
  std::uint64_t outside = 0;     // a cell that is missing, negative, fractional, no number, or outside the shape
  std::uint64_t bad_count = 0;   // a good cell, a count that is missing, negative, fractional, no number, or too large
  std::uint64_t unreadable = 0;  // a CSV row with too many fields, an unclosed quote or more than 1 MiB

  bool operator==(const DroppedRows&) const = default;
  std::uint64_t total() const { return outside + bad_count + unreadable; }
  // "dropped 3 rows (2 outside the shape, 1 bad count)"
  std::string text() const;
};

// A row may stand for at most this many trips.
inline constexpr std::uint64_t kMaxRowCount = std::uint64_t{1} << 40;

}  // namespace stopover
