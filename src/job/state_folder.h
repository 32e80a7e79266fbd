// Where this user's copies of ledger heads are kept, so that a ledger that was put back or copied is noticed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace stopover {

inline constexpr std::string_view kNoStateFolder = "none";
inline constexpr std::string_view kStateHelp =
    "folder that remembers ledgers, so that an old copy of one is noticed (~/.local/state/stopover); none "
    "switches this off";
inline constexpr std::string_view kStateWaived =
    "the ledger's memory is waived (`state none`)\n  A ledger that was put back to an earlier day, or copied and spent "
    "twice, is not noticed.";

// The folder named; without it $XDG_STATE_HOME/stopover, else $HOME/.local/state/stopover. Empty for "none".
// Failure::privacy where none is named and neither variable is set: to go without one, it must be said.
Result<std::string> state_folder(const std::string& named);

}  // namespace stopover
