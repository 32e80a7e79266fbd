// Areas with fewer corners, for drawing. Borders that areas share stay shared: no gap opens between neighbours.
//
//   std::vector<Shape> drawn = simplified(shapes, 300'000);
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "geo/shape.h"

namespace stopover {

// The areas, in their order, with about `most_corners` corners in all: those go whose absence changes the picture least
// (Visvalingam and Whyatt 1993: the corner of the smallest triangle first). Corners where three borders meet stay, and
// of every ring at least three. Each area stays valid (shape.h); where fewer corners would make it cross itself, its
// borders keep more of them. So a few more than `most_corners` may be left. Positions are rounded to billionths of a
// degree. REQUIRES: checked shapes.
std::vector<Shape> simplified(std::span<const Shape> shapes, std::size_t most_corners);

}  // namespace stopover
