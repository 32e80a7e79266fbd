// foretold_cuts: where a side of a box of a map is cut, by what earlier releases foretell in it.
//
// Follows from what is foretold alone, which is public before the box is counted: it costs nothing.
#pragma once

#include <cstdint>
#include <vector>

namespace stopover {

// Lines that divide a side of cells from `lo` on into m parts, rising, inside it. `below`: what is foretold below each
// line of the side, from its first to its last, on any scale; not falling but for rounding. Parts have as much each of
// their area, by two thirds, and of what is foretold: what is new may lie where nothing is foretold, and is not to hide
// in a large part. Then each line goes to the gap near it where the fewest trips are foretold: a line through a busy
// place would have it now on one side, now on the other.
// REQUIRES: 1 <= m <= cells.
std::vector<std::uint32_t> foretold_cuts(std::uint32_t lo, std::uint32_t m, const std::vector<double>& below);

}  // namespace stopover
