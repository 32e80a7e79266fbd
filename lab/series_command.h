// `series`: how much releases of a series gain from those before them. For the curator alone: it compares with the
// truth.
#pragma once

#include "cli/app.h"

namespace stopover {

void add_series(Cli& cli);

}  // namespace stopover
