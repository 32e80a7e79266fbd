// open_release: how jobs read a release that is there: as read_release does, and with a warning for one that protects nobody.
#pragma once

#include <string>

#include "base/result.h"
#include "job/observer.h"
#include "release/release.h"

namespace stopover {

Result<Release> open_release(const std::string& path, const Observer& observer);
// Nothing for a private one.
void warn_unless_private(const std::string& path, const Randomness& randomness, const Observer& observer);

}  // namespace stopover
