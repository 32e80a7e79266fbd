// `coverage`: do intervals hold the truth as often as they say? For the curator alone: it compares with the truth.
#pragma once

#include "cli/app.h"

namespace stopover {

void add_coverage(Cli& cli);

}  // namespace stopover
