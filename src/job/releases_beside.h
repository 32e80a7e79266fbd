// Releases that lie beside a ledger that is about to be made, and so were paid from another one.
#pragma once

#include <string>

namespace stopover {

// A warning if the folder of `output` or that of `ledger` holds releases (*.odr) that name a ledger; else empty. Looks
// only at their release.json, passes over what it cannot read, and never fails.
std::string releases_beside(const std::string& output, const std::string& ledger);

}  // namespace stopover
