// The partitions of a release as one long table, a row per leaf of table 0, with the interval of each one's noise.
#pragma once

#include "base/result.h"
#include "exports/long_table.h"
#include "release/release.h"

namespace stopover {

// Columns: `partition` (0, 1, ... in the release's order); for each axis `<axis>_lo`, `<axis>_hi` (half-open cells) and
// `<axis>_from`, `<axis>_to` (coordinates) or, where the axis has labels, `<axis>` (labels joined by " | "); `cells`;
// `count` (as measured, may be negative; missing where the leaf itself was not), `noise_scale`; `estimate` (consistent,
// not negative); `whole` where it is given, one number per leaf; `noise_lower`, `noise_upper` (95 %, of the noise
// alone, about the unprojected value).
Result<LongTable> partition_table(const Release& release, std::vector<std::int64_t> whole = {});

}  // namespace stopover
