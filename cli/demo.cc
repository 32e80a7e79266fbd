#include "cli/commands.h"

namespace stopover {
void add_demo(Cli&) {}
}  // namespace stopover
