// A public table in the form of a release, so that history can hold it: a forecast where there are no releases yet.
//
// Its boxes are halved down to few of its rows, never between rows of one place: the places of a table stand for what
// is around them, and how far that goes the boxes say. Nothing private is in it, and nothing random.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "domain/domain.h"
#include "mechanism/past_release.h"

namespace stopover {

// `cells`: of every row one for each axis; `weights`: of the rows. The same whatever the order of the rows.
// REQUIRES: at least one row; weights above 0; maps that anchor could have (StopMap::kMaxCells).
std::shared_ptr<const PastRelease> past_of_table(const Domain& domain, std::span<const std::uint32_t> cells,
                                                 std::span<const double> weights);

}  // namespace stopover
