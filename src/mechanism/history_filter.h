// HistoryFilter: what the counts of a whole tree say of its boxes, each of which was forecast. Post-processing only.
//
// Going down, a family's forecasts are shares of what its parent is believed to hold, and a count is drawn towards its
// forecast as far as the drift of its level allows (drift_filter.h).
//
// The rule of changes: what is new is small beside the boxes around it, whose forecasts hold well, so that each level
// would take a part of it for noise, and the next period would be forecast without it. So a count that lies far above
// what came out is a change: all of the excess becomes part of the forecast, of its box and of those around it, and the
// tree is filtered once more.
#pragma once

#include <cstddef>
#include <vector>

#include "mechanism/families.h"

namespace stopover {

struct TreeCounts {
  const Families& families;
  std::vector<double> z, w;          // joined upwards: values and variances; of row 0 they are not used
  const std::vector<double>& alone;  // what the counts are taken for without history
  std::vector<bool> counted;         // [row]: z says something of it; whole families do or do not
  double least_drift = 0;            // no forecast below the clear ones is trusted beyond a drift of this variance
};

// Believed values of all rows, not negative and adding up to `total`. `forecast`: of every row, on any scale.
std::vector<double> filter_tree(const TreeCounts& counts, std::vector<double> forecast, double total);

}  // namespace stopover
