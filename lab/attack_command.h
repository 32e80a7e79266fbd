// `attack`: how well the strongest attacker does against a release, as figures and as a page for a board.
#pragma once

#include "cli/app.h"

namespace stopover {

void add_attack(Cli& cli);

}  // namespace stopover
