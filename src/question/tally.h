// Tally: estimates over combinations of units of several stops, added up from the leaves at once. Internal to this
// room.
//
// A leaf's trips are shared out to a combination by the product of the shares that its units take of the leaf, as the
// answerer does it; so a tally's numbers are the answers' estimates up to rounding. Leaves that have the same sides at
// a stop are shared out there together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "query/answer.h"
#include "query/query_engine.h"
#include "question/stop_parts.h"

namespace stopover {

// Estimates in row-major order: the last stop's units fastest. Fails (usage) where there are more than
// kMostCombinations, or where adding up would take too long; (interrupted) when patience is lost. REQUIRES: at least
// one stop; `rest` is without_places of these stops.
Result<std::vector<double>> tally(const QueryEngine& engine, const Selection& rest, std::span<const StopParts> stops,
                                  Estimates estimates, const Patience& patience);

inline constexpr std::size_t kMostCombinations = 4'000'000;

}  // namespace stopover
