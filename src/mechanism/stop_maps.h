// Buys the maps of all factors: stops that share a geography together, on one LevelGrid.
#pragma once

#include <vector>

#include "mechanism/borders.h"
#include "mechanism/factors.h"
#include "mechanism/history.h"
#include "privacy/kernel.h"
#include "release/release.h"

namespace stopover {

// One table a factor, named map1, map2, ..., whose leaves' estimates are not negative and sum to `total`. Spends
// `slice` of the kernel's budget: slice/factors a point. Rows that were counted for several stops together hold what
// was spent on them and an estimate, but no count. `total`, `total_variance`: the noisy number of trips. `borders`: one
// per factor, nullptr for none. With `history` (or nullptr) the estimates lean on it, and leaves are divided as it
// says: rows that were not measured. With two earlier releases or more, boxes are also counted finer than a release
// alone would: what is too faint for one count is not for the counts of many periods, each the forecast of the next.
// Releases that the counts refute are taken out of it.
std::vector<Table> buy_maps(Kernel& kernel, const std::vector<Factor>& factors, Ticks slice, double total,
                            double total_variance, std::size_t most_rows, const std::vector<const Borders*>& borders,
                            History* history);

}  // namespace stopover
