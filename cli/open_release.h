// open_release: how commands read a release that is there: as read_release does, and with a warning for one that protects nobody.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/app.h"
#include "release/release.h"

namespace stopover {

Result<Release> open_release(const std::string& path, const Session& session);
// Nothing for a private one.
void warn_unless_private(const std::string& path, const Randomness& randomness, const Terminal& terminal);

}  // namespace stopover
