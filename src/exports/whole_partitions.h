// The partitions of a release as whole numbers that add up: every node of the table's forest, as the sum of the leaves
// below it, is off its estimate by less than 1.
#pragma once

#include <cstdint>
#include <vector>

#include "release/release.h"

namespace stopover {

// One number per leaf, in the table's order. Leaves of one node are rounded one after the other (round_list). REQUIRES:
// check_release passes.
std::vector<std::int64_t> whole_partitions(const Table& table);

}  // namespace stopover
