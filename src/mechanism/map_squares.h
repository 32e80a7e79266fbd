// MapSquares: maps of very many cells are counted and drawn in squares of step x step of them (StopMap::step_of).
//
// The step follows from the domain, so it is public. A view with it (Kernel::pooled_view) has squares for cells; what
// was measured there is then told in cells.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "domain/domain.h"
#include "mechanism/factors.h"
#include "release/release.h"

namespace stopover {

// 1: every cell by itself.
std::uint32_t map_step(const Domain& domain, const Factor& factor);

// Boxes that were counted in squares of step x step cells, in cells.
void to_cells(Table& tree, const Domain& domain, const Factor& factor, std::uint32_t step);

// Fails (usage) where squares do not help: an axis of more than 65,536 cells, of a map that is drawn in squares.
Status check_map_squares(std::string_view mechanism, const Domain& domain, const Factor& factor);

}  // namespace stopover
