// `reproduce`: the paper's experiments in one command, with a report.
#pragma once

#include "cli/app.h"

namespace stopover {

void add_reproduce(Cli& cli);

}  // namespace stopover
