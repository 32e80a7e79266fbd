#include "job/open_release.h"

#include "release_io/release_io.h"

namespace stopover {

Result<Release> open_release(const std::string& path, const Observer& observer) {
  Result<Release> release = read_release(path, observer.threads);
  if (release) warn_unless_private(path, release->randomness, observer);
  return release;
}

void warn_unless_private(const std::string& path, const Randomness& randomness, const Observer& observer) {
  if (!randomness.is_private()) observer.warn(path + " was " + randomness.warning());
}

}  // namespace stopover
