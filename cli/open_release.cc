#include "cli/open_release.h"

#include "release_io/release_io.h"

namespace stopover {

Result<Release> open_release(const std::string& path, const Session& session) {
  Result<Release> release = read_release(path, session.threads);
  if (release) warn_unless_private(path, release->randomness, session.terminal);
  return release;
}

void warn_unless_private(const std::string& path, const Randomness& randomness, const Terminal& terminal) {
  if (!randomness.is_private()) terminal.warn(path + " was " + randomness.warning());
}

}  // namespace stopover
