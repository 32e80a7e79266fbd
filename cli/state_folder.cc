#include "cli/state_folder.h"

#include <cstdlib>

namespace stopover {

std::string state_folder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::string(state) + "/stopover";  // the standard wants it absolute
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.local/state/stopover";
  return "";
}

}  // namespace stopover
