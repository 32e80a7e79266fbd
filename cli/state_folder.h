// Where this user's copies of ledger heads are kept, so that a ledger put back to an earlier state is noticed.
#pragma once

#include <string>

namespace stopover {

// $XDG_STATE_HOME/stopover, else $HOME/.local/state/stopover; empty (none is kept) where neither is set.
std::string state_folder();

}  // namespace stopover
