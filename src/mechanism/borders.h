// Borders: public areas (districts, zones) whose edges the cuts of a release should follow.
//
// Declared by the curator, never taken from trips. A leaf that straddles an edge is shared out to both sides by the
// maps; a leaf that lies in one area is not. Which area a cell belongs to is decided by its centre.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stopover {

struct Borders {
  static constexpr std::uint32_t kNoArea = 0xffffffff;

  std::uint32_t columns = 0, rows = 0;  // of every stop's map
  std::vector<std::uint32_t> area;      // [column * rows + row]: the number of its area, or kNoArea
  std::size_t areas = 0;

  std::uint32_t at(std::uint32_t column, std::uint32_t row) const { return area[std::size_t{column} * rows + row]; }
};

}  // namespace stopover
