// Cut flows: where the trips of a flow lie that cuts of the joint tree went through.
//
// A flow that nobody foresaw is followed into smaller boxes (excess.h). Cuts do not know of it: one that goes through
// it leaves a part on either side, each perhaps too small to be followed further, in a box that may still be large. But
// two boxes that touch and both hold more than the base explains, with few others like them around, are seldom two
// flows: it is one, and lies where they touch. So what such a box holds beyond the base is gathered there, within
// kCutReach cells of the others. A box that touches many of its kind lies in country where the base is wrong all over,
// and is left.
//
// From released values alone: it costs nothing. Gathered places are rows that were not measured, below a leaf that was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "domain/box.h"
#include "release/release.h"

namespace stopover {

inline constexpr std::uint32_t kCutReach = 5;  // cells: a flow is thought to be no wider

struct CutFlowRows {
  const std::vector<double>& mu;      // [row]: what the base has of it, of all
  const std::vector<bool>& followed;  // [row]: divided because of an excess
};

// Divides leaves of `table` below followed rows that touch one to three others with an excess; sums are kept. `mass`:
// what the base has in a box, of all. Stops before the table has more than `most_rows`. REQUIRES: estimates are there,
// a root.
void gather_cut_flows(Table& table, const CutFlowRows& rows, double ticks_to_rate, std::size_t most_rows,
                      const std::function<double(const Box&)>& mass);

}  // namespace stopover
