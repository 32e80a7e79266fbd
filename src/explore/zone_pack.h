// The zones of a release as a few bytes: names, groups, places and areas. Lossless: what comes out equals what went in.
//
// Corners are whole numbers: of the coarsest decimals of a degree that hold all of them exactly (at most 13), or,
// where none do, the bits of their reals. A corner is written as the step from the one before it. Borders that areas
// share are written once: a run of corners that stood before, in the same or the other direction, is only pointed at.
// An area of 96 corners all of which a neighbour has too takes about 300 bytes, 600 where corners have all 17 digits.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "domain/zone_set.h"
#include "explore/packer.h"

namespace stopover {

// Corners of all zones that a pack may have.
inline constexpr std::size_t kMostPackedCorners = std::size_t{1} << 24;

std::size_t corners_of(const ZoneSet& zones);

// REQUIRES: corners_of(zones) <= kMostPackedCorners.
void pack_zones(Packer& out, const ZoneSet& zones);
// Fails (bad_input) on all that pack_zones did not make.
Result<ZoneSet> unpack_zones(Unpacker& in);

}  // namespace stopover
