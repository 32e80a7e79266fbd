// What the demo says: what was made, the largest flows beside the truth, and what to try next.
#pragma once

#include <string>

#include "demo/demo_city.h"
#include "text/paper.h"

namespace stopover {

std::string demo_text(const DemoCity& city, const Paper& paper);

}  // namespace stopover
