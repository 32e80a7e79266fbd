// Scores of cuts: what Kernel::choose compares. SECRET values; sensitivities are proved in AUDIT.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "privacy/view.h"

namespace stopover {

// The most one trip can move a score.
std::uint64_t sensitivity(Score score);

// One penalty a candidate: how badly cutting `axis` of the rows [begin, end), which lie in `box`, at those cells does.
std::vector<std::uint64_t> penalties(const View& view, std::size_t begin, std::size_t end, const Box& box,
                                     std::size_t axis, std::span<const std::vector<std::uint32_t>> candidates,
                                     Score score);

// The same for single cuts, ascending by axis, then cut, whatever their number: a pass an axis over the rows.
std::vector<std::uint64_t> penalties(const View& view, std::size_t begin, std::size_t end, const Box& box,
                                     std::span<const AxisCut> candidates, Score score);

}  // namespace stopover
