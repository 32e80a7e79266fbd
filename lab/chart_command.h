// `chart`: figures from tables that `evaluate` wrote.
#pragma once

#include "cli/app.h"

namespace stopover {

void add_chart(Cli& cli);

}  // namespace stopover
