// The rectangles by which one stop of a release is drawn: a tiling of its map, finest where the trips are.
//
// A stop with a table of its own (a map) is drawn by that table's boxes: rows of its tree, opened from the fullest
// down. Any other stop, and one whose boxes are too many to draw, gets rectangles halved where a release of more
// dimensions says the trips are; those are for the eye, not the release's own.
#pragma once

#include <cstddef>
#include <vector>

#include "query/box_index.h"
#include "query/box_query.h"
#include "release/release.h"

namespace stopover {

struct StopCells {
  bool own = false;  // boxes of the release, not halved for the eye
  struct Cell {
    Interval x, y;
  };
  std::vector<Cell> cells;
};

// At most `most` (and at least 4, where the axes have them). `x`, `y`: the axes of the map. REQUIRES: x != y, both axes
// of the domain; `index` is the release's.
StopCells stop_cells(const Release& release, const BoxIndex& index, std::size_t x, std::size_t y, std::size_t most);

}  // namespace stopover
