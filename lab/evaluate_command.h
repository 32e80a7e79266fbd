// `evaluate`: how wrong are which mechanisms on this matrix? For the curator alone: it compares with the truth.
#pragma once

#include "cli/app.h"

namespace stopover {

void add_evaluate(Cli& cli);

}  // namespace stopover
