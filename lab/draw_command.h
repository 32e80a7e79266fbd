// `draw`: the partition of a release over the density of the trips behind it, at one stop.
#pragma once

#include "cli/app.h"

namespace stopover {

void add_draw(Cli& cli);

}  // namespace stopover
