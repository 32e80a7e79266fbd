// What a test can see of a rank rule's honesty (kernel.h: RankRule; AUDIT.md, "Ranks"): that its word on a box is
// always the same, to the last bit, whichever boxes it is asked for with and however often.
//
//   EXPECT_EQ(rule_fault(rule, lattice, boxes, seed), "");
//
// A rule that adds doubles up in another order when more boxes are asked for fails here, as it must: one trip in a box
// that was empty could then move ranks of others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "privacy/kernel.h"

namespace stopover {

// What the rule did wrong, or nothing. Tries every box alone and random parts of the list, `boxes` ascending, each
// once.
std::string rule_fault(const RankRule& rule, std::size_t lattice, const std::vector<std::uint64_t>& boxes,
                       std::uint64_t seed);

}  // namespace stopover
