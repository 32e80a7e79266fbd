// The order of zones on the axis.
//
// Zones that lie near each other on the map should mostly be neighbours on the axis, and a group of a level a range of
// it: mechanisms halve ranges. The largest groups come first, put in order by where they lie, then the groups in them,
// then the zones in the smallest group.
//
// "By where they lie" is recursive bisection: the items are split in the middle by number, by that of the two
// coordinates along which they spread more (in metres), west or south first; each half again. Of n items the first half
// has n / 2, rounded down, as a range of n cells is halved. A group lies at the mean of its zones' places. Ties are
// decided by the id or the group's name, so the order depends on ids, places and groups and on nothing else: not on the
// file's order, not on the machine. Names alone, which lie nowhere, keep the file's order, and groups that of their
// first zone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "domain/zone_set.h"

namespace stopover {

// Which zone comes first, second, ... on the axis: numbers in `zones`. REQUIRES: ids differ; all zones have the same
// number of groups, the smallest first; a group's name stands in one group of the next level only.
std::vector<std::uint32_t> zone_order(std::span<const ZoneRecord> zones, ZoneForm form);

}  // namespace stopover
