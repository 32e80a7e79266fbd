// `audit`: does a mechanism keep its promise? A black box, many runs, a bound that holds whatever is inside.
#pragma once

#include "cli/app.h"

namespace stopover {

void add_audit(Cli& cli);

}  // namespace stopover
