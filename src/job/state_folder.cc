#include "job/state_folder.h"

#include <cstdlib>

namespace stopover {

Result<std::string> state_folder(const std::string& named) {
  if (named == kNoStateFolder) return std::string();
  if (!named.empty()) return named;
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::string(state) + "/stopover";  // the standard wants it absolute
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.local/state/stopover";
  return Error{Failure::privacy,
               "the ledger has no folder for its memory: neither XDG_STATE_HOME nor HOME is set to an absolute path\n"
               "  Without it nobody notices a ledger that was put back to an earlier day, or copied and spent twice.\n"
               "  Name a folder that stays (`state /var/lib/stopover`), or waive this in words (`state none`)."};
}

}  // namespace stopover
