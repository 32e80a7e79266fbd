// border_cuts: cuts of a box of a map, moved to public borders that run near them.
//
// Follows from the borders alone, which are declared before a row is read: it costs nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "domain/box.h"
#include "mechanism/borders.h"

namespace stopover {

// `cuts`: lines that divide the box x times y into parts of about the same width along `axis` (0: x), rising, inside
// it. Each goes to the line within two fifths of a part that parts most neighbours of different areas, the nearer of
// equal ones; where a line parts fewer than a quarter of them, it is no border, and the cut stays. The result rises
// too.
std::vector<std::uint32_t> border_cuts(const Borders& borders, Interval x, Interval y, int axis,
                                       std::vector<std::uint32_t> cuts);

}  // namespace stopover
