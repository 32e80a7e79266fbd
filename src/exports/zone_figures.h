// Zone figures: public numbers about zones, from a CSV file with a header: totals that a table shall meet, factors that
// scale it.
//
//   zone,origins,destinations
//   A,1200,900
//   north,5000,                   a group of zones; what is left out is not known
//   *,48000,48000                 all zones
//
// The zones' column is called zone or id, or is the first one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "exports/sum_tree.h"

namespace stopover {

// Values by column asked for and node of the tree. `columns`: the names that each may have, in any case; the first one
// is how messages call it. `field` names the file in errors. Fails (bad_input) where the file cannot be read, has none
// of the columns or another one, an unknown zone, a zone twice, or a number that is none, is negative or above 1e15.
Result<std::vector<std::vector<std::optional<double>>>> read_zone_figures(
    const std::string& path, std::string_view field, const SumTree& tree,
    std::span<const std::vector<std::string>> columns);

}  // namespace stopover
